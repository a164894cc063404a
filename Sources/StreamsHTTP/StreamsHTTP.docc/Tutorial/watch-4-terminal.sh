swift test
swift build
.build/debug/watch &
sleep 2
kill -TERM $!
wait $!
echo "status $?"
