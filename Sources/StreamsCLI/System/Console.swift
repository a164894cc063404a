import StreamsHTTP
import Synchronization

/// A stream of lines for people, below which one more line can be redrawn in place.
///
/// What cannot be written is dropped: there is nobody to tell.
final class Console: Sendable {
    private let descriptor: Descriptor
    private let indent: String
    /// Whether a line can be redrawn.
    let isTerminal: Bool
    /// Whether a line stands that the next output has to erase.
    private let hasTransientLine = Mutex(false)

    /// - Parameters:
    ///   - number: The descriptor to write to.
    ///   - indent: What every line begins with.
    init(_ number: CInt, indent: String = "") {
        self.indent = indent
        descriptor = Descriptor(number: number, name: "the terminal")
        isTerminal = descriptor.isTerminal && getenv("TERM").map { String(cString: $0) } != "dumb"
    }

    /// The number of columns behind the indent.
    var width: Int {
        var size = winsize()
        guard ioctl(descriptor.number, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 - indent.count }
        return Int(size.ws_col) - indent.count
    }

    /// Writes a line that stays.
    func say(_ line: String) {
        write(indent + line + "\n", isTransient: false)
    }

    /// Writes a line that the next output replaces. Only for terminals.
    func draw(_ line: String) {
        write(indent + line, isTransient: true)
    }

    /// Removes the line that was drawn last, if it still stands.
    func erase() {
        write("", isTransient: false)
    }

    private func write(_ text: String, isTransient: Bool) {
        hasTransientLine.withLock { hasTransientLine in
            // Back to the first column, and erase to the end of the line.
            let erasure = hasTransientLine ? "\r\u{1B}[K" : ""
            hasTransientLine = isTransient
            try? descriptor.writeAll(Data((erasure + text).utf8))
        }
    }
}
