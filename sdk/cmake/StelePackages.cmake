# Debian packages, one for the server, one for authors of plugins, one for each plugin:
#
#   cmake --build --preset release && cpack --config build/release/CPackConfig.cmake
#
# Included by the root after everything is installed by component: `server`, `development`, and each
# plugin under its id. What a plugin requires is asked from the built program when packages are made.
install(FILES ${CMAKE_SOURCE_DIR}/packaging/systemd/stele.service
        DESTINATION lib/systemd/system COMPONENT server)
install(FILES ${CMAKE_SOURCE_DIR}/packaging/stele.conf DESTINATION /etc/stele COMPONENT server
        EXCLUDE_FROM_ALL)

get_property(packaged_plugins GLOBAL PROPERTY STELE_SERVED_PLUGINS)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME stele)
set(CPACK_PACKAGE_VENDOR Stele)
set(CPACK_PACKAGE_CONTACT "The Stele maintainers <maintainers@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Self-hosted content server")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL server development ${packaged_plugins})
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION web)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/lib)

set(CPACK_DEBIAN_SERVER_PACKAGE_NAME stele)
set(CPACK_DEBIAN_SERVER_DESCRIPTION "Stele content server
 JSON documents, access control and plugins behind one HTTP interface. Each resource family is a
 package of its own, named stele-plugin-*; installing one enables it.")
set(CPACK_DEBIAN_SERVER_PACKAGE_CONTROL_EXTRA
    ${CMAKE_SOURCE_DIR}/packaging/debian/postinst ${CMAKE_SOURCE_DIR}/packaging/debian/prerm
    ${CMAKE_SOURCE_DIR}/packaging/debian/postrm ${CMAKE_SOURCE_DIR}/packaging/debian/triggers
    ${CMAKE_SOURCE_DIR}/packaging/debian/conffiles)

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME stele-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "SDK for plugins of the Stele content server
 Headers, CMake package, conformance suite, plugin checker and a template.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "stele (= ${PROJECT_VERSION}), libboost1.81-dev, nlohmann-json3-dev")

foreach(plugin IN LISTS packaged_plugins)
    string(TOUPPER ${plugin} component)
    string(REPLACE "_" "-" package stele-plugin-${plugin})
    set(CPACK_DEBIAN_${component}_PACKAGE_NAME ${package})
    set(CPACK_DEBIAN_${component}_DESCRIPTION "Plugin ${plugin} of the Stele content server
 Installing it enables it; the running server restarts.")
endforeach()
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_LIST_DIR}/StelePackageDepends.cmake)
set(CPACK_STELE_PROGRAM ${CMAKE_BINARY_DIR}/bin/stele)
set(CPACK_STELE_VERSION ${PROJECT_VERSION})
include(CPack)
