# stele_add_plugin(<id> SOURCES <file>... [LIBRARIES <target>...] [DIRECTORY <folder>] [UNCHECKED])
#
# Builds <id>.so, a plugin that exports exactly one symbol, and adds two tests: one counts the
# exported symbols, one runs stele_plugin_check on the library (docs/plugin-life.md).
#
# DIRECTORY   where the library is put, in place of the folder from which the server serves; it is
#             not installed then.
# UNCHECKED   adds no tests: for plugins that are wrong on purpose.
#
# Inside the repository and, after find_package(Stele), outside of it (docs/guides/first-plugin.md).
set(STELE_PLUGIN_CMAKE_DIR ${CMAKE_CURRENT_LIST_DIR})

function(stele_add_plugin id)
    cmake_parse_arguments(PLUGIN "UNCHECKED" "DIRECTORY" "SOURCES;LIBRARIES" ${ARGN})
    if(PLUGIN_UNPARSED_ARGUMENTS OR NOT PLUGIN_SOURCES)
        message(FATAL_ERROR "stele_add_plugin(${id}): wanted SOURCES, and optionally LIBRARIES, "
                            "DIRECTORY, UNCHECKED; found also: ${PLUGIN_UNPARSED_ARGUMENTS}")
    endif()
    add_library(${id} MODULE ${PLUGIN_SOURCES})
    set_target_properties(${id} PROPERTIES
        PREFIX "" SUFFIX ".so"
        CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
        CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF
        POSITION_INDEPENDENT_CODE ON
        INSTALL_RPATH "$ORIGIN/../.."
        LINK_DEPENDS ${STELE_PLUGIN_CMAKE_DIR}/plugin.map)
    target_link_libraries(${id} PRIVATE Stele::sdk ${PLUGIN_LIBRARIES})
    target_link_options(${id} PRIVATE
        LINKER:--version-script=${STELE_PLUGIN_CMAKE_DIR}/plugin.map)
    if(COMMAND stele_compile_options)
        stele_compile_options(${id})
    elseif(STELE_SANITIZE)
        # The build kind is part of the fingerprint by which the server judges the library.
        target_compile_options(${id} PRIVATE -fsanitize=${STELE_SANITIZE})
        target_link_options(${id} PRIVATE -fsanitize=${STELE_SANITIZE})
    endif()

    if(PLUGIN_DIRECTORY)
        set_target_properties(${id} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PLUGIN_DIRECTORY})
    elseif(STELE_PLUGIN_DIRECTORY)
        set_target_properties(${id} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${STELE_PLUGIN_DIRECTORY})
        install(TARGETS ${id} LIBRARY DESTINATION lib/stele/plugins COMPONENT ${id})
        set_property(GLOBAL APPEND PROPERTY STELE_SERVED_PLUGINS ${id})
    endif()

    if(NOT PLUGIN_UNCHECKED)
        stele_check_plugin(${id})
    endif()
endfunction()

# The tests of stele_add_plugin.
function(stele_check_plugin id)
    add_test(NAME ${id}_exports
             COMMAND ${CMAKE_COMMAND} -D NM=${CMAKE_NM} -D LIBRARY=$<TARGET_FILE:${id}>
                     -P ${STELE_PLUGIN_CMAKE_DIR}/StelePluginExports.cmake)
    if(STELE_PLUGIN_DIRECTORY)
        set(others --plugins ${STELE_PLUGIN_DIRECTORY})
    endif()
    # Named by target, so that the checker may be declared after the plugin.
    add_test(NAME ${id}_plugin_check
             COMMAND $<TARGET_FILE:${STELE_PLUGIN_CHECK_TARGET}> $<TARGET_FILE:${id}> ${others})
    set_tests_properties(${id}_exports ${id}_plugin_check PROPERTIES TIMEOUT 60 LABELS plugin)
endfunction()

if(NOT STELE_PLUGIN_CHECK_TARGET)
    set(STELE_PLUGIN_CHECK_TARGET stele_plugin_check)
endif()

# stele_conformance_test(<id> <documents.json>) adds a test that serves the plugin with a real server
# and checks that its families do what every family must (docs/guides/first-plugin.md). Inside the
# repository it fails where exports and imports are not checked; outside it says so.
function(stele_conformance_test id documents)
    # It asks one thing after the other.
    if(STELE_SANITIZE STREQUAL "thread")
        return()
    endif()
    add_test(NAME ${id}_conformance
             COMMAND $<TARGET_FILE:${STELE_CONFORMANCE_TARGET}>
                     $<$<TARGET_EXISTS:archives>:--expect-transfers>
                     $<TARGET_FILE:${STELE_TARGET}> ${documents} $<TARGET_FILE_DIR:${id}>
             COMMAND_EXPAND_LISTS)
    set_tests_properties(${id}_conformance PROPERTIES TIMEOUT 300 LABELS conformance)
endfunction()

if(NOT STELE_CONFORMANCE_TARGET)
    set(STELE_CONFORMANCE_TARGET stele_conformance)
    set(STELE_TARGET stele)
endif()
