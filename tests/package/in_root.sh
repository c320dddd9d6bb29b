#!/bin/bash
# `./dev package-test` runs this inside a clean Debian: it installs /tmp/heddle.deb, uses the program, builds and runs
# the project of examples/embedding (in /tmp/embedding) with the shared and the static library and with pkg-config; then
# it removes the package and repeats that with the files that `cmake --install` has installed in /opt/heddle.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive

fail() {
  echo "in the clean Debian: $*" >&2
  exit 1
}
step() { echo "-- $*"; }
packages() { apt-get -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 "$@" >/dev/null 2>/tmp/apt.log || {
  cat /tmp/apt.log >&2
  fail "apt-get $*"
}; }

# use_program PREFIX
use_program() {
  "$1/bin/heddle" --version
  "$1/bin/heddle" check "$1/share/doc/heddle/examples/peterson.hed" | grep -q ': safe' || fail "peterson.hed"
  local code=0
  "$1/bin/heddle" check "$1/share/doc/heddle/examples/lost_update.hed" >/dev/null || code=$?
  ((code == 1)) || fail "lost_update.hed gives exit code $code"
  [[ "$(printf 'shared x: int = 6;\nthread p { x = 1; }\n:start\nx * 7\n' | "$1/bin/heddle" repl | tail -n 1)" == *42* ]] ||
    fail "the prompt"
  [[ -s $1/share/man/man1/heddle.1.gz || -s $1/share/man/man1/heddle.1 ]] || fail "no manual page"
  bash -n "$1/share/bash-completion/completions/heddle" || fail "the completions of bash"
}

# use_library PREFIX CMAKE-OPTION...: every program of the project prints the expected output.
use_library() {
  local prefix=$1 program
  shift
  rm -rf /tmp/user
  cmake -S /tmp/embedding -B /tmp/user -DCMAKE_PREFIX_PATH="$prefix" "$@" >/dev/null
  cmake --build /tmp/user >/dev/null
  for program in ticket_family model_test model_gtest; do
    [[ -x /tmp/user/$program ]] || fail "$program was not built"
    /tmp/user/$program >"/tmp/user/$program.out" || { cat "/tmp/user/$program.out" >&2; fail "$program $*"; }
  done
  grep -q 'fetch_add 3 threads pso: safe' /tmp/user/ticket_family.out || fail "what ticket_family printed"
}

use_pkg_config() {
  # Word splitting of the flags is intended.
  # shellcheck disable=SC2046
  PKG_CONFIG_PATH=$1/lib/pkgconfig g++ -std=c++20 /tmp/embedding/ticket_family.cpp -o /tmp/plain \
    $(PKG_CONFIG_PATH=$1/lib/pkgconfig pkg-config --cflags --libs heddle) -Wl,-rpath,"$1/lib"
  /tmp/plain | grep -q 'fetch_add 3 threads pso: safe' || fail "pkg-config in $1"
}

packages update
step "the package and what it depends on, nothing else"
packages install /tmp/heddle.deb
use_program /usr
step "the shared library: no LLVM, Boost or fmt to compile with"
packages install g++ make cmake pkg-config doctest-dev libgtest-dev
! dpkg -l | grep -E '^ii +(llvm-[0-9]+-dev|libboost.*-dev|libfmt-dev)' || fail "these should not be needed"
use_library /usr
use_pkg_config /usr
ldd /tmp/user/ticket_family | grep -q 'libheddle\.so\.' || fail "not the shared library"
step "the static library: with the packages that the .deb suggests"
packages install llvm-19-dev libfmt-dev
use_library /usr -Dheddle_USE_STATIC=ON
! ldd /tmp/user/ticket_family | grep libheddle || fail "not the static library"
packages purge heddle
hash -r
! command -v heddle || fail "the program is still there after the package was removed"
[[ ! -e /usr/include/heddle && ! -e /usr/lib/cmake/heddle ]] || fail "files are left of the package"

step "the prefix of cmake --install"
use_program /opt/heddle
use_library /opt/heddle
use_pkg_config /opt/heddle
use_library /opt/heddle -Dheddle_USE_STATIC=ON
