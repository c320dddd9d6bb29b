# The target heddle_llvm: LLVM, as a shared library for all but the targets with the property HEDDLE_STATIC_LLVM, which
# is half of the memory and half of the time that a small check takes: the shared library has every back end, and
# brings Z3 and ICU along. The tests and libheddle.so keep it: linking 60 MB into each of them costs more than it saves.
find_package(LLVM 19.1 CONFIG REQUIRED)

# What LLVM's own CMake files name, but Debian's llvm-19-dev does not need: LLVM brings the libraries without headers.
foreach(pair "zstd::libzstd_shared;zstd" "ZLIB::ZLIB;z")
  list(POP_FRONT pair target library)
  if(NOT TARGET ${target})
    find_library(HEDDLE_LIB_${library} NAMES ${library} lib${library}.so.1)
    if(HEDDLE_LIB_${library})
      add_library(${target} SHARED IMPORTED)
      set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${HEDDLE_LIB_${library}})
    endif()
  endif()
endforeach()
set(heddle_static_llvm LLVMOrcJIT LLVM${LLVM_NATIVE_ARCH}CodeGen LLVMPasses)
set(heddle_static_llvm_found ON)
foreach(target ${heddle_static_llvm} zstd::libzstd_shared ZLIB::ZLIB)
  if(NOT TARGET ${target})
    set(heddle_static_llvm_found OFF)
  endif()
endforeach()
include(CMakeDependentOption)
cmake_dependent_option(HEDDLE_STATIC_LLVM "Link LLVM into the program" ON
                       "heddle_static_llvm_found;NOT HEDDLE_SANITIZE;NOT HEDDLE_FUZZ" OFF)

add_library(heddle_llvm INTERFACE)
# SYSTEM: no warnings from LLVM's headers.
target_include_directories(heddle_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
target_link_libraries(heddle_llvm
                      INTERFACE "$<IF:$<BOOL:$<TARGET_PROPERTY:HEDDLE_STATIC_LLVM>>,${heddle_static_llvm},LLVM>")
