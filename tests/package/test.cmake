# Installs the build into a folder of its own, then uses it from outside: the project in examples/embedding with the
# shared and with the static library, and pkg-config. Run by CTest with BUILD, SOURCE, COMPILER, GENERATOR, NINJA.
set(root ${BUILD}/package-test)
set(prefix ${root}/prefix)
file(REMOVE_RECURSE ${root})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "failed (${code}): ${ARGN}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect_verdicts)
  foreach(line "fetch_add 3 threads pso: safe" "load/store 2 threads tso: violation, deadlock"
               "load/store 2 threads power: violation, assertion failed: two threads inside"
               "first step: next: 0 -> 1")
    if(NOT output MATCHES "${line}")
      message(FATAL_ERROR "'${line}' is missing in:\n${output}")
    endif()
  endforeach()
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})

# The targets that `./dev demo` builds are all that `cmake --install` needs: their build makes whatever was installed out
# of the build folder. Nothing is deleted and built again for that, because other tests use it.
if(GENERATOR STREQUAL "Ninja")
  run(sed -n "/^demo()/,/^}/s/^ *compile build //p" ${SOURCE}/dev)
  separate_arguments(demo_targets UNIX_COMMAND "${output}")
  run(${NINJA} -C ${BUILD} -t commands ${demo_targets})
  set(commands "${output}")
  file(GLOB built RELATIVE ${BUILD} ${BUILD}/package/libheddle.* ${BUILD}/package/heddle.1
       ${BUILD}/package/heddle.bash ${BUILD}/package/_heddle ${BUILD}/package/heddle.fish)
  list(LENGTH built count)
  if(count LESS 6)
    message(FATAL_ERROR "the build folder has only ${built} to install")
  endif()
  foreach(file " -o heddle " ${built})
    string(REGEX REPLACE "\\.so[.0-9]*$" ".so" file "${file}")
    string(FIND "${commands}" "${file}" place)
    if(place EQUAL -1)
      message(FATAL_ERROR "building ${demo_targets} does not make ${file}, which is installed")
    endif()
  endforeach()
endif()
run(${prefix}/bin/heddle check ${SOURCE}/examples/peterson.hed)

foreach(static OFF ON)
  set(user ${root}/user-${static})
  run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE}/examples/embedding -B ${user} -DCMAKE_PREFIX_PATH=${prefix}
      -DCMAKE_CXX_COMPILER=${COMPILER} -Dheddle_USE_STATIC=${static})
  run(${CMAKE_COMMAND} --build ${user})
  run(${user}/ticket_family)
  expect_verdicts()
  foreach(test model_test model_gtest)
    if(EXISTS ${user}/${test})
      run(${user}/${test})
    endif()
  endforeach()
endforeach()

# The shared program loads our library at run time, the static one does not.
run(ldd ${root}/user-ON/ticket_family)
if(output MATCHES "libheddle")
  message(FATAL_ERROR "the static program needs libheddle:\n${output}")
endif()
run(ldd ${root}/user-OFF/ticket_family)
if(NOT output MATCHES "libheddle\\.so\\.[0-9]+\\.[0-9]+ ")
  message(FATAL_ERROR "the shared program does not name libheddle with its ABI version:\n${output}")
endif()

# Only names in heddle:: are visible, and no internal ones.
file(GLOB library ${prefix}/lib*/libheddle.so ${prefix}/lib*/*/libheddle.so)
list(GET library 0 library)
run(nm -D --defined-only -C ${library})
string(REPLACE "\n" ";" symbols "${output}")
foreach(symbol IN LISTS symbols)
  if(NOT symbol STREQUAL "" AND NOT symbol MATCHES "^[0-9a-f]+ [A-Za-z] (typeinfo |vtable |typeinfo name |non-virtual thunk |guard variable )?(for )?heddle::"
     AND NOT symbol MATCHES "heddle::")
    message(FATAL_ERROR "visible, but not ours: ${symbol}")
  endif()
  if(symbol MATCHES " heddle::(lang|compiler|jit|checker)::")
    message(FATAL_ERROR "visible, but internal: ${symbol}")
  endif()
endforeach()

get_filename_component(libdir ${library} DIRECTORY)
set(ENV{PKG_CONFIG_PATH} ${libdir}/pkgconfig)
run(pkg-config --cflags --libs heddle)
separate_arguments(flags UNIX_COMMAND "${output}")
run(${COMPILER} -std=c++20 ${SOURCE}/examples/embedding/ticket_family.cpp -o ${root}/with_pkg_config ${flags}
    -Wl,-rpath,${libdir})
run(${root}/with_pkg_config)
expect_verdicts()
file(REMOVE_RECURSE ${root})
