import StreamsHTTP

/// The output of the tour: in colours on a terminal, unless `NO_COLOR` is set (no-color.org).
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
        console.say(text, style: isColoured && !text.isEmpty ? style.rawValue : "")
    }

    /// Shows the title, the setting and the code of a scene.
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
