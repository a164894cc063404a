import StreamsHTTP
import Synchronization

/// A display of lines, below which one more line can be redrawn in place.
///
/// Lines that cannot be written are dropped, because there is no other place to report it.
final class Console: Sendable {
    private let descriptor: Descriptor
    private let indent: String
    /// Whether a line can be redrawn.
    let isTerminal: Bool
    /// Whether there is a line that the next output has to erase.
    private let hasTransientLine = Mutex(false)

    /// - Parameters:
    ///   - number: The descriptor to write to.
    ///   - indent: The beginning of every line.
    init(_ number: CInt, indent: String = "") {
        self.indent = indent
        descriptor = Descriptor(number: number, name: "the terminal")
        isTerminal = descriptor.isTerminal && getenv("TERM").map { String(cString: $0) } != "dumb"
    }

    /// The number of columns after the indent.
    var width: Int {
        var size = winsize()
        guard ioctl(descriptor.number, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 - indent.count }
        return Int(size.ws_col) - indent.count
    }

    /// Writes a line that stays. Its control characters are escaped, because the text may come from a server.
    ///
    /// - Parameters:
    ///   - line: The text.
    ///   - style: The parameters of the escape sequence for the text's style (ECMA-48, section 8.3.117); empty for none.
    func say(_ line: String, style: String = "") {
        let text = line.printable
        write(indent + (style.isEmpty ? text : "\u{1B}[\(style)m\(text)\u{1B}[0m") + "\n", isTransient: false)
    }

    /// Writes a line that the next output replaces. Only for terminals.
    func draw(_ line: String) {
        write(indent + line, isTransient: true)
    }

    /// Removes the line that was drawn last, if it has not been replaced.
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
