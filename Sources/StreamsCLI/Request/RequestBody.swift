import StreamsHTTP

extension BodyArgument {
    /// The body it stands for, which exists and can be opened.
    func makeBody() throws(Failure) -> HTTPBody {
        switch source {
        case .text(let text):
            return .data(Data(text.utf8), contentType: contentType)
        case .standardInput:
            return InputChunks(STDIN_FILENO, name: "standard input").body(contentType: contentType)
        case .file(let path):
            do throws(SystemError) {
                return try file(path)
            } catch {
                throw Failure(reading: error)
            }
        }
    }

    private func file(_ path: String) throws(SystemError) -> HTTPBody {
        let action = "cannot read \(path)"
        var status = stat()
        guard stat(path, &status) == 0, access(path, R_OK) == 0 else { throw SystemError(action: action, code: errno) }
        switch status.st_mode & S_IFMT {
        case S_IFREG:
            return .file(path, contentType: contentType)
        case S_IFDIR:
            throw SystemError(action: action, code: EISDIR)
        default:
            // A FIFO or a device can be read once, and nobody knows how long it is.
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw SystemError(action: action, code: errno) }
            return InputChunks(descriptor, name: path).body(contentType: contentType)
        }
    }
}
