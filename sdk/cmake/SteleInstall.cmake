# What `cmake --install` puts under the prefix: the program, its plugins (stele_add_plugin adds
# them), libstele_sdk, and everything that the author of a plugin needs outside of this repository.
# Included last by the root, when all targets exist. Plugins are found relative to the program, so
# the tree can be moved as a whole: bin/stele, lib/libstele_sdk.so, lib/stele/plugins/*.so.
include(CMakePackageConfigHelpers)

set(package_directory lib/cmake/Stele)
set(installed_targets stele_sdk stele_plugin_check stele_conformance stele)
foreach(target IN LISTS installed_targets)
    set(component development)
    if(target MATCHES "^(stele|stele_sdk)$")
        set(component server)
    endif()
    install(TARGETS ${target} EXPORT SteleTargets
            RUNTIME DESTINATION bin COMPONENT ${component}
            LIBRARY DESTINATION lib COMPONENT ${component})
endforeach()
set_target_properties(stele_plugin_check PROPERTIES EXPORT_NAME plugin_check)
set_target_properties(stele_conformance PROPERTIES EXPORT_NAME conformance)

install(DIRECTORY ${CMAKE_SOURCE_DIR}/sdk/include/stele DESTINATION include COMPONENT development
        FILES_MATCHING PATTERN "*.hpp")
# Under the name by which the tests of plugins include them: "sdk/testing/memory_engine.hpp".
install(DIRECTORY ${CMAKE_SOURCE_DIR}/sdk/testing DESTINATION share/stele/sdk
        COMPONENT development
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cpp" PATTERN "*.mjs" PATTERN "*.py"
        PATTERN "*_test.cpp" EXCLUDE)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/plugins/_template DESTINATION share/stele
        COMPONENT development)
# Where `stele plugin new` of the build looks for it, too.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/share/stele)
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/plugins/_template ${CMAKE_BINARY_DIR}/share/stele/_template
     SYMBOLIC)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION share/doc/stele
        COMPONENT server)

install(EXPORT SteleTargets NAMESPACE Stele:: DESTINATION ${package_directory}
        COMPONENT development)
configure_package_config_file(${CMAKE_SOURCE_DIR}/sdk/cmake/SteleConfig.cmake.in
                              ${CMAKE_BINARY_DIR}/SteleConfig.cmake
                              INSTALL_DESTINATION ${package_directory})
# A plugin and its server match exactly, and so do the package and who asks for it.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/SteleConfigVersion.cmake
                                 VERSION ${PROJECT_VERSION} COMPATIBILITY ExactVersion)
install(FILES ${CMAKE_BINARY_DIR}/SteleConfig.cmake ${CMAKE_BINARY_DIR}/SteleConfigVersion.cmake
              ${CMAKE_SOURCE_DIR}/sdk/cmake/StelePlugin.cmake
              ${CMAKE_SOURCE_DIR}/sdk/cmake/StelePluginExports.cmake
              ${CMAKE_SOURCE_DIR}/sdk/cmake/plugin.map
        DESTINATION ${package_directory} COMPONENT development)
