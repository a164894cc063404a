import Foundation

/// A process with the server. It is killed without warning, as a real one would be.
struct HostileProcess: Sendable {
    private let process: pid_t
    let addresses: HostileAddresses

    /// - Parameter folder: A folder for the file in which the server tells its addresses.
    init(in folder: URL) throws(SoakError) {
        let file = folder.appending(path: "server-\(UUID().uuidString)").path
        // Foundation's `Process` keeps descriptors if it cannot start.
        let words: [String] = ["soak", "serve", file]
        let arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process = pid_t()
        guard posix_spawn(&process, "/proc/self/exe", nil, nil, arguments, environ) == 0 else { throw .noServer }
        self.process = process
        var addresses: HostileAddresses?
        while addresses == nil, waitpid(process, nil, WNOHANG) == 0 {
            usleep(1000)
            addresses = (try? Data(contentsOf: URL(filePath: file))).flatMap {
                try? JSONDecoder().decode(HostileAddresses.self, from: $0)
            }
        }
        guard let addresses else { throw .noServer }
        self.addresses = addresses
        unlink(file)
    }

    func kill() {
        Foundation.kill(process, SIGKILL)
        waitpid(process, nil, 0)
    }
}

enum SoakError: Error {
    /// The server did not start.
    case noServer
    case usage(String)
}

/// Prints a line at once, also into a pipe or a file.
func tell(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}
