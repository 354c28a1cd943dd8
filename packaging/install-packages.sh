#!/bin/sh
# install-packages.sh <list>... : installs the packages of the lists that are missing; does nothing,
# and needs no rights, when none is.
set -eu

missing=
# A list has one name a line, without blanks.
# shellcheck disable=SC2013
for package in $(sed 's/#.*//' "$@"); do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -eq 0 ]; then
    as_root=
elif command -v sudo >/dev/null; then
    as_root=sudo
else
    echo "These packages are missing, and only root or sudo can install them:$missing" >&2
    exit 1
fi
echo "Installing:$missing"
$as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
# The list of names is meant to be split.
# shellcheck disable=SC2086
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    $missing >/dev/null
