import StreamsHTTP

/// How the tour looks: in colours where a terminal shows them and nobody has set `NO_COLOR` (no-color.org).
struct Page: Sendable {
    enum Style: String {
        case plain = ""
        case title = "1"
        case setting = "2"
        case code = "36"
        case failure = "31"
    }

    private let console = Console(STDOUT_FILENO)
    private let isColoured: Bool

    init() {
        let refusal = getenv("NO_COLOR").map { String(cString: $0) } ?? ""
        isColoured = console.isTerminal && refusal.isEmpty
    }

    func write(_ text: String, as style: Style) {
        let isPlain = !isColoured || style == .plain || text.isEmpty
        console.say(isPlain ? text : "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m")
    }

    /// Shows what a scene is about, and its code.
    func open(_ scene: any Scene.Type, number: Int, of count: Int) {
        write("", as: .plain)
        write("\(number)/\(count)  \(scene.title)", as: .title)
        write("     \(scene.setting)", as: .setting)
        write("", as: .plain)
        for line in scene.code.split(separator: "\n", omittingEmptySubsequences: false) {
            write(line.isEmpty ? "" : "    \(line)", as: .code)
        }
        write("", as: .plain)
    }
}
