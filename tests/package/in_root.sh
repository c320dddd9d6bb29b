#!/bin/bash
# Inside the clean Debian of `./dev package-test`: installs /tmp/heddle.deb, runs the program, builds and runs the
# project of examples/embedding.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
apt-get -qq update
apt-get -qq -y --no-install-recommends install /tmp/heddle.deb >/dev/null
heddle --version
heddle check /usr/share/doc/heddle/examples/peterson.hed
printf 'shared x: int = 6;\nthread p { x = 1; }\nx * 7\n' | heddle repl
apt-get -qq -y --no-install-recommends install g++ make cmake pkg-config >/dev/null
rm -rf /tmp/user
cmake -S /tmp/embedding -B /tmp/user >/dev/null
cmake --build /tmp/user >/dev/null
/tmp/user/ticket_family
g++ -std=c++20 /tmp/embedding/ticket_family.cpp -o /tmp/user/plain $(pkg-config --cflags --libs heddle)
/tmp/user/plain >/dev/null
apt-get -qq -y purge heddle >/dev/null
if command -v heddle; then
  echo "the program is still there after the package was removed" >&2
  exit 1
fi
