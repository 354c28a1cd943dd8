# Rules of the build that every folder of this repository shares.

# Warnings and sanitizers for one of our own targets.
function(stele_compile_options target)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wnon-virtual-dtor -Wshadow)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # Joined files look like headers to g++: it takes a class private to a .cpp for shared.
        target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
    endif()
    if(CMAKE_BUILD_TYPE STREQUAL "Debug" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        target_compile_options(${target} PRIVATE -Werror)
    endif()
    if(STELE_SANITIZE)
        target_compile_options(${target} PRIVATE -fsanitize=${STELE_SANITIZE}
                               -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
        target_link_options(${target} PRIVATE -fsanitize=${STELE_SANITIZE})
        if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
            # What g++ 12 sees in std::string when it sanitizes is not there.
            target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow
                                   -Wno-restrict)
        endif()
    endif()
    if(STELE_FUZZ)
        target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
    endif()
    get_target_property(type ${target} TYPE)
    if(TARGET stele_pch AND NOT type STREQUAL "EXECUTABLE" AND NOT target MATCHES "_pch$")
        target_precompile_headers(${target} REUSE_FROM stele_pch)
    endif()
endfunction()

# A precompiled header that many targets share: stele_pch for libraries, stele_test_pch for Catch2
# programs. The options are those of its users.
function(stele_shared_pch name header)
    file(WRITE ${CMAKE_BINARY_DIR}/${name}.cpp "")
    add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/${name}.cpp)
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_definitions(${name} PRIVATE JSON_USE_IMPLICIT_CONVERSIONS=0)
    target_link_libraries(${name} PRIVATE Boost::headers nlohmann_json::nlohmann_json)
    stele_compile_options(${name})
    target_compile_options(${name} PRIVATE ${ARGN})
    target_precompile_headers(${name} PRIVATE ${header})
endfunction()

# A room of the kernel: kernel/<name>/**.cpp becomes the static library stele_<name>, and its
# *_test.cpp the test program <name>_test.
function(stele_room name)
    cmake_parse_arguments(ROOM "" "" "DEPENDS" ${ARGN})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
    set(tests ${sources})
    list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
    list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
    if(sources)
        add_library(stele_${name} STATIC ${sources})
        target_link_libraries(stele_${name} PUBLIC stele_sdk ${ROOM_DEPENDS})
        target_include_directories(stele_${name} PUBLIC ${CMAKE_SOURCE_DIR})
        stele_compile_options(stele_${name})
    else()
        add_library(stele_${name} INTERFACE)
        target_link_libraries(stele_${name} INTERFACE stele_sdk ${ROOM_DEPENDS})
        target_include_directories(stele_${name} INTERFACE ${CMAKE_SOURCE_DIR})
    endif()
    if(tests AND STELE_TESTS)
        stele_unit_test(${name}_test SOURCES ${tests} LIBRARIES stele_${name})
    endif()
endfunction()

# What a plugin and its tests are both made of, compiled once: a static library of position
# independent code.
function(stele_plugin_parts name)
    cmake_parse_arguments(PARTS "" "" "SOURCES;LIBRARIES" ${ARGN})
    add_library(${name} STATIC ${PARTS_SOURCES})
    set_target_properties(${name} PROPERTIES
        POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
    target_link_libraries(${name} PUBLIC Stele::sdk ${PARTS_LIBRARIES})
    target_include_directories(${name} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
    stele_compile_options(${name})
endfunction()

# How tests are compiled: fast code would take longer than what it saves.
set(STELE_TEST_OPTIMIZATION -O0)

# A test that computes for long is compiled as the preset says.
function(stele_optimize_test name)
    if(TARGET ${name})
        # The precompiled header is of no use to it, for that is compiled as most tests are.
        set_target_properties(${name} PROPERTIES STELE_OPTIMIZED ON DISABLE_PRECOMPILE_HEADERS ON)
    endif()
endfunction()

# A Catch2 program that ctest runs as one test. SINGLE_THREADED ones are not built for the thread
# sanitizer, which has nothing to see in them.
function(stele_unit_test name)
    cmake_parse_arguments(UNIT "SINGLE_THREADED" "TIMEOUT" "SOURCES;LIBRARIES" ${ARGN})
    if(UNIT_SINGLE_THREADED AND STELE_SANITIZE STREQUAL "thread")
        return()
    endif()
    if(NOT UNIT_TIMEOUT)
        # For what hangs; sanitized, beside others and on a slow machine, some take minutes.
        set(UNIT_TIMEOUT 600)
        if(STELE_SANITIZE)
            set(UNIT_TIMEOUT 1800)
        endif()
    endif()
    add_executable(${name} ${UNIT_SOURCES})
    target_link_libraries(${name} PRIVATE ${UNIT_LIBRARIES} stele_catch_main)
    stele_compile_options(${name})
    set(is_optimized $<BOOL:$<TARGET_PROPERTY:STELE_OPTIMIZED>>)
    target_compile_options(${name} PRIVATE $<$<NOT:${is_optimized}>:${STELE_TEST_OPTIMIZATION}>)
    if(TARGET stele_test_pch)
        target_precompile_headers(${name} REUSE_FROM stele_test_pch)
    endif()
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON)
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES TIMEOUT ${UNIT_TIMEOUT} LABELS unit)
endfunction()

# How many random cases a test runs. Sanitized builds are slow, and the usual ones cover the number.
# CI, too, runs a fifth of them, but for WHOLE_IN_CI ones.
function(stele_random_cases test)
    cmake_parse_arguments(CASES "WHOLE_IN_CI" "USUAL;SANITIZED" "" ${ARGN})
    if(NOT TEST ${test})
        return()
    endif()
    set(cases ${CASES_USUAL})
    if(STELE_SANITIZE)
        set(cases ${CASES_SANITIZED})
    endif()
    if(STELE_SANITIZE STREQUAL "thread")
        # Chance is asked by one thread; the other cases of such a program have several.
        math(EXPR cases "${cases} / 5")
    endif()
    set(environment "STELE_TEST_CASES=${cases}")
    if(CASES_WHOLE_IN_CI)
        list(APPEND environment STELE_WHOLE_IN_CI=1)
    endif()
    set_tests_properties(${test} PROPERTIES ENVIRONMENT "${environment}")
    stele_optimize_test(${test})
endfunction()

# Every *.test.mjs of the folder becomes a test of the served program, run by node, under its own
# label; `<label>_<name>`. Those that ask one thing after the other tell the thread sanitizer nothing
# that `<label>_operations` and its like do not: it runs only CONCURRENT ones, and RIVALS, whose code
# others make the address sanitizer walk.
# UNSANITIZED ones measure what a sanitizer changes, or look at replies that others make it walk too.
# FIRST ones take long and begin before all others.
# Beside other tests, jobs of a server would give way to what these compute, not to its requests.
function(stele_node_tests label)
    cmake_parse_arguments(NODE_TESTS "" "FOLDER" "CONCURRENT;RIVALS;FIRST;UNSANITIZED" ${ARGN})
    if(NOT NODE_TESTS_FOLDER)
        set(NODE_TESTS_FOLDER ${CMAKE_CURRENT_SOURCE_DIR})
    endif()
    find_program(STELE_NODE node REQUIRED)
    file(GLOB files CONFIGURE_DEPENDS ${NODE_TESTS_FOLDER}/*.test.mjs)
    if(NOT TARGET stele OR NOT STELE_TESTS)
        return()
    endif()
    set(left_out ${NODE_TESTS_UNSANITIZED} ${NODE_TESTS_RIVALS})
    foreach(file ${files})
        get_filename_component(name ${file} NAME_WE)
        if(STELE_SANITIZE STREQUAL "thread")
            if(NOT name IN_LIST NODE_TESTS_CONCURRENT AND NOT name IN_LIST NODE_TESTS_RIVALS)
                continue()
            endif()
        elseif(STELE_SANITIZE AND name IN_LIST left_out)
            continue()
        endif()
        add_test(NAME ${label}_${name} COMMAND ${STELE_NODE} --test ${file})
        set_tests_properties(${label}_${name} PROPERTIES
            ENVIRONMENT "STELE_BIN=$<TARGET_FILE:stele>;STELE_SANITIZED=${STELE_SANITIZE};STELE_JOBS_NICE=0"
            TIMEOUT 1800 LABELS ${label})
        if(name IN_LIST NODE_TESTS_FIRST)
            set_tests_properties(${label}_${name} PROPERTIES COST 1000)
        endif()
    endforeach()
endfunction()

# The same for a plugin's tests of the served interface, which lie beside it in tests/.
function(stele_api_tests)
    stele_node_tests(api FOLDER ${CMAKE_CURRENT_SOURCE_DIR}/tests ${ARGN})
endfunction()

# libsimdjson, libleveldb and the others that come without CMake packages.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED)
