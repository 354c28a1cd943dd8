#!/bin/sh
# Measures the server against the bare responder, in turns, because the machine's speed drifts.
# usage: compare.sh <folder of the programs> [body bytes] [rounds] [seconds]
set -eu
bin=$1
body=${2:-600}
rounds=${3:-3}
seconds=${4:-4}
port=18411
round=0
while [ "$round" -lt "$rounds" ]; do
    for program in ceiling server; do
        "$bin/bench_http_$program" "$port" 1 "$body" &
        pid=$!
        sleep 0.3
        rate=$(wrk -t1 -c64 -d"${seconds}s" "http://127.0.0.1:$port/" |
            awk '/Requests\/sec/ { print $2 }')
        ticks=$(awk '{ print $14 + $15 }' "/proc/$pid/stat")
        kill "$pid"
        wait "$pid" 2>/dev/null || true
        # Clock ticks are hundredths of a second.
        echo "$program $rate requests/s" \
            "$(awk "BEGIN { printf \"%.2f\", $ticks * 10000 / ($rate * $seconds) }") us of CPU each"
        port=$((port + 1))
    done
    round=$((round + 1))
done
