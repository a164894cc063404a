import StreamsHTTP

/// Makes the standard descriptors safe to use.
enum StandardDescriptors {
    static func prepare() {
        // Without the signal, the write to a pipe without a reader fails.
        signal(SIGPIPE, SIG_IGN)
        // A standard descriptor that the parent closed would be given to the next file or socket, and that one would
        // then get what is written to standard output. Opened the wrong way round, it makes such a write fail.
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 {
            _ = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
