import StreamsHTTP
import Synchronization

/// A display of lines, below which one more line can be redrawn in place.
final class Console: Sendable {
    private struct State {
        /// Whether there is a line that the next output has to erase.
        var hasTransientLine = false
        /// The text after which a user types, below all lines; empty if there is none.
        var prompt = ""
    }

    private let descriptor: Descriptor
    private let indent: String
    /// Whether a line can be redrawn.
    let isTerminal: Bool
    private let state = Mutex(State())

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

    /// Writes a line that stays. Its control characters are escaped, because the text may come from a server. It is
    /// dropped if it cannot be written, because there is no other place to report that.
    ///
    /// - Parameters:
    ///   - line: The text.
    ///   - style: The parameters of the escape sequence for the text's style (ECMA-48, section 8.3.117); empty for none.
    func say(_ line: String, style: String = "") {
        let text = line.printable
        try? write(indent + (style.isEmpty ? text : "\u{1B}[\(style)m\(text)\u{1B}[0m") + "\n", isTransient: false)
    }

    /// Writes the lines of a text, each after a mark. Their control characters but tabs are escaped.
    func print(_ text: String, mark: String) throws(SystemError) {
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
            let cells = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
            return mark + cells.map { String(Substring($0)).printable }.joined(separator: "\t") + "\n"
        }
        try write(lines.joined(), isTransient: false)
    }

    /// Writes a line that the next output replaces. Only for terminals.
    func draw(_ line: String) {
        try? write(indent + line, isTransient: true)
    }

    /// Removes the line that was drawn last, if it has not been replaced, and draws the prompt again.
    func erase() {
        try? write("", isTransient: false)
    }

    /// Sets the text that is kept below all lines, and after which a user types. Only for terminals.
    ///
    /// - Parameter prompt: The text; empty for none, which removes the prompt.
    func setPrompt(_ prompt: String) {
        state.withLock { $0.prompt = prompt }
        erase()
    }

    private func write(_ text: String, isTransient: Bool) throws(SystemError) {
        try state.withLock { state throws(SystemError) in
            // Back to the first column, and erase to the end of the line.
            let erasure = state.hasTransientLine ? "\r\u{1B}[K" : ""
            let prompt = isTransient ? "" : state.prompt
            state.hasTransientLine = isTransient || !prompt.isEmpty
            try descriptor.writeAll(Data((erasure + text + prompt).utf8))
        }
    }
}
