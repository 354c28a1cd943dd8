# cmake -D NM=<nm> -D LIBRARY=<plugin.so> -P StelePluginExports.cmake
# A plugin exports its manifest and nothing else: whatever more it exported could replace, or be
# replaced by, a symbol of the same name elsewhere in the process.
execute_process(COMMAND ${NM} --dynamic --defined-only --format=posix ${LIBRARY}
                OUTPUT_VARIABLE output RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE)
if(failed)
    message(FATAL_ERROR "${LIBRARY}: its symbols cannot be read")
endif()
string(REGEX REPLACE "\n" ";" lines "${output}")
set(names)
foreach(line IN LISTS lines)
    string(REGEX REPLACE " .*" "" name "${line}")
    list(APPEND names ${name})
endforeach()
if(NOT names STREQUAL "stele_plugin")
    list(LENGTH names count)
    message(FATAL_ERROR "${LIBRARY}: found ${count} exported symbols (${names}), "
                        "wanted one, stele_plugin")
endif()
