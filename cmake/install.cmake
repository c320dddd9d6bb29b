# Files that `cmake --install` and CPack install: the library (shared and static, one file each), its headers,
# the CMake package `heddle`, heddle.pc, the program.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# ABI: before 1.0 a minor version may break it, so it is part of the soname; see docs/embedding.md.
set(heddle_soversion ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(heddle_objects "")
foreach(layer heddle heddle_checker heddle_jit heddle_compiler heddle_lang)
  list(APPEND heddle_objects $<TARGET_OBJECTS:${layer}>)
endforeach()

# The layers are internal: both libraries are made of their objects. exports.map lists the symbols of the shared one.
add_library(heddle_shared SHARED ${heddle_objects})
add_library(heddle_static STATIC ${heddle_objects})
set_target_properties(heddle_shared PROPERTIES EXPORT_NAME shared VERSION ${PROJECT_VERSION}
                                               SOVERSION ${heddle_soversion})
set_target_properties(heddle_static PROPERTIES EXPORT_NAME static)
target_link_options(heddle_shared PRIVATE -Wl,--version-script=${CMAKE_CURRENT_LIST_DIR}/exports.map
                                          -Wl,--no-undefined
                                          $<$<BOOL:${HEDDLE_SANITIZE}>:-fsanitize=address,undefined>)
set_target_properties(heddle_shared PROPERTIES LINK_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/exports.map)
foreach(library heddle_shared heddle_static)
  set_target_properties(${library} PROPERTIES OUTPUT_NAME heddle LINKER_LANGUAGE CXX
                                              ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/package
                                              LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/package)
  target_link_libraries(${library} PRIVATE LLVM fmt::fmt Threads::Threads)
  target_include_directories(${library} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(${library} INTERFACE cxx_std_20)
endforeach()

set(heddle_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/heddle)
install(TARGETS heddle_shared heddle_static EXPORT heddleTargets)
install(TARGETS heddle_cli RUNTIME)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/heddle DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT heddleTargets NAMESPACE heddle:: DESTINATION ${heddle_package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/heddleConfig.cmake.in
                              ${CMAKE_BINARY_DIR}/package/heddleConfig.cmake
                              INSTALL_DESTINATION ${heddle_package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/package/heddleConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/package/heddleConfig.cmake ${CMAKE_BINARY_DIR}/package/heddleConfigVersion.cmake
        DESTINATION ${heddle_package_dir})
configure_file(${CMAKE_CURRENT_LIST_DIR}/heddle.pc.in ${CMAKE_BINARY_DIR}/package/heddle.pc.part @ONLY)
# The prefix is known only at installation.
install(CODE "
  file(READ \"${CMAKE_BINARY_DIR}/package/heddle.pc.part\" text)
  string(REPLACE \"%PREFIX%\" \"\${CMAKE_INSTALL_PREFIX}\" text \"\${text}\")
  file(WRITE \"${CMAKE_BINARY_DIR}/package/heddle.pc\" \"\${text}\")")
install(FILES ${CMAKE_BINARY_DIR}/package/heddle.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/CHANGELOG.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples ${PROJECT_SOURCE_DIR}/deploy DESTINATION ${CMAKE_INSTALL_DOCDIR}
        USE_SOURCE_PERMISSIONS)

# The program writes its own manual page and completions, under the names that each shell expects.
set(heddle_texts "")
foreach(text "heddle.1;man" "heddle.bash;completions;bash" "_heddle;completions;zsh" "heddle.fish;completions;fish")
  list(POP_FRONT text file)
  add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/package/${file} DEPENDS heddle_cli VERBATIM
                     COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/package
                     COMMAND sh -c "exec \"$@\" > \"$0\"" ${CMAKE_BINARY_DIR}/package/${file}
                             $<TARGET_FILE:heddle_cli> ${text})
  list(APPEND heddle_texts ${CMAKE_BINARY_DIR}/package/${file})
endforeach()
add_custom_target(heddle_texts ALL DEPENDS ${heddle_texts})
# Everything that `cmake --install` needs, without the tests.
add_custom_target(heddle_install DEPENDS heddle_cli heddle_shared heddle_static heddle_texts)
install(FILES ${CMAKE_BINARY_DIR}/package/heddle.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${CMAKE_BINARY_DIR}/package/heddle.bash RENAME heddle
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${CMAKE_BINARY_DIR}/package/_heddle DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${CMAKE_BINARY_DIR}/package/heddle.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/editors DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle)

# `cpack -G DEB` in the build folder.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME heddle)
set(CPACK_PACKAGE_CONTACT "The Heddle authors <heddle@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Model checker for small concurrent programs under memory models")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# For users of the static library.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "llvm-19-dev, libfmt-dev, cmake, pkg-config")
include(CPack)
