#!/bin/sh
# A private PostgreSQL for tests: data and socket in a folder of its own, no network, run by a user
# without rights. Prints the connection string.
#
#   postgres.sh start FOLDER             makes and starts a server, or starts it again
#   postgres.sh standby FOLDER PRIMARY   a synchronous standby of the server in PRIMARY
#   postgres.sh promote FOLDER           makes the standby a primary
#   postgres.sh restart FOLDER           ends its connections and starts anew
#   postgres.sh kill FOLDER              kill -9 of all its processes
#   postgres.sh stop FOLDER              stops it; the folder stays
set -eu
command=$1
folder=$2
bin=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
data=$folder/data

# PostgreSQL refuses to be run by root.
as_user() {
    if [ "$(id -u)" -eq 0 ]; then
        setpriv --reuid postgres --regid postgres --clear-groups -- "$@"
    else
        "$@"
    fi
}

control() {
    (cd / && as_user "$bin/pg_ctl" --silent --wait --pgdata "$data" --log "$folder/log" "$@") \
        >&2 </dev/null
}

configure() {
    cat >>"$data/postgresql.auto.conf" <<EOF
listen_addresses = ''
unix_socket_directories = '$folder'
max_connections = 200
shared_buffers = 64MB
EOF
}

make_folder() {
    mkdir -p "$folder"
    [ "$(id -u)" -ne 0 ] || chown postgres: "$folder"
}

case $command in
start)
    make_folder
    if [ ! -d "$data" ]; then
        (cd / && as_user "$bin/initdb" --username postgres --auth trust --no-sync "$data") >"$folder.out" 2>&1 ||
            { cat "$folder.out" >&2; exit 1; }
        rm -f "$folder.out"
        configure
    fi
    control start
    ;;
standby)
    primary=$3
    make_folder
    (cd / && as_user "$bin/pg_basebackup" --host "$primary" --username postgres --pgdata "$data" \
        --checkpoint fast --write-recovery-conf --no-sync)
    configure
    echo "primary_conninfo = 'host=$primary user=postgres application_name=standby'" \
        >>"$data/postgresql.auto.conf"
    control start
    (cd / && as_user "$bin/psql" --quiet --host "$primary" --username postgres --command \
        "alter system set synchronous_standby_names = 'standby'" --command \
        "select pg_reload_conf()") >/dev/null
    ;;
promote)
    control promote
    ;;
restart)
    control --mode fast restart
    ;;
kill)
    # All of its processes at once, as when the machine fails; their numbers then mean nothing.
    postmaster=$(head -n 1 "$data/postmaster.pid")
    # shellcheck disable=SC2046
    kill -KILL "$postmaster" $(pgrep -P "$postmaster")
    sleep 0.1
    rm -f "$data/postmaster.pid" "$folder"/.s.PGSQL.*
    ;;
stop)
    control --mode immediate stop
    ;;
*)
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac
echo "host=$folder user=postgres dbname=postgres"
