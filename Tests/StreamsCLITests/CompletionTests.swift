import Foundation
import Testing

@testable import StreamsCLI

/// The completions of words in real shells, in a folder with the files `fa` and `fb` and the folder `sub`.
@Suite struct CompletionTests {
    /// Runs a program of a shell. `$1` or `$argv[1]` is the path of the completions, and the words follow.
    private static func run(_ command: [String], _ shell: CompletionShell, _ words: [String]) async throws -> [String] {
        let folder = try Folder()
        try folder.write("", to: "fa")
        try folder.write("", to: "fb")
        try FileManager.default.createDirectory(atPath: folder.path("sub"), withIntermediateDirectories: false)
        let script = try await Tool.run("--generate-completion-script", shell.rawValue)
        #expect(script.status == 0, "\(script.errors)")
        try folder.write(script.text, to: ".completions")
        let start = ["/bin/sh", "-c", #"cd "$0" && exec "$@""#, folder.path] + command
        let run = try await Tool([folder.path(".completions")] + words, command: start).start().end()
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.errors.isEmpty)
        return run.lines
    }

    // MARK: bash

    /// Returns the completions of the last word, as readline separates words.
    private static func bash(_ words: [String]) async throws -> [String] {
        let program = """
            source "$1"; shift; COMP_WORDS=(streams "$@"); COMP_CWORD=$#; _streams
            ((${#COMPREPLY[@]} == 0)) || printf '%s\\n' "${COMPREPLY[@]}"
            """
        return try await run(["bash", "--norc", "-c", program, "bash"], .bash, words).sorted()
    }

    @Test(
        .needs("bash"),
        arguments: [
            ([""], ["download", "lines", "poll", "sse", "tour", "ws"]), (["w"], ["ws"]), (["ws", ""], []),
            (["--pro"], ["--progress", "--progress-bar", "--proxy"]), (["ws", "--pro"], ["--protocol", "--proxy"]),
            (["sse", "GET", "--last"], ["--last-event-id"]), (["lines", "--last"], []), (["tour", "--"], []),
            (["http", ":", "//a", "--ev"], ["--events"]), (["-o", "ws", "--pin"], []),
            (["-sk", "ws", "--pin"], ["--ping"]),
            (["-do", "ws", "--pin"], ["--ping"]), (["--resolve", "a", ":", "1", ":", "b", "ws", "--pin"], ["--ping"]),
            (["--progress", ""], ["always", "auto", "never"]), (["--progress", "="], ["always", "auto", "never"]),
            (["--progress", "=", "al"], ["always"]), (["--progress=al"], ["--progress=always"]),
            (["sse", "--repeated", ""], ["deliver", "drop"]), (["-o", "f"], ["fa", "fb"]), (["-of"], ["-ofa", "-ofb"]),
            (["-E", "fa"], ["fa"]), (["--output-dir", ""], ["sub"]), (["-d", "@f"], ["@fa", "@fb"]), (["-d", "f"], []),
            (["-d", "@", "f"], ["@fa", "@fb"]), (["--json", "=@", "f"], ["@fa", "@fb"]),
            (["-d@f"], ["-d@fa", "-d@fb"]),
            (["--json=@f"], ["--json=@fa", "--json=@fb"]), (["-X", ""], []), (["-H", "f"], []),
        ] as [([String], [String])])
    func completesInBash(words: [String], completions: [String]) async throws {
        #expect(try await Self.bash(words) == completions)
    }

    @Test(.needs("bash"), arguments: Command.allCases)
    func completesOptionsOfCommandInBash(command: Command) async throws {
        let options = Option.allCases.filter { $0.commands.contains(command) }
        let words = (command.word.map { [$0] } ?? []) + ["-"]
        #expect(try await Self.bash(words) == options.flatMap(\.entry.names).sorted())
    }

    // MARK: Typed lines

    /// Types lines, with tabs, in an interactive shell, and returns the words of each, separated by bars.
    private static func type(_ lines: [String], start: String, setUp: String, _ shell: CompletionShell) async throws
        -> [String]
    {
        let program = #"""
            zmodload zsh/zpty
            zpty shell $2
            zpty -w shell "PS1=; stty -echo; $3; source $1; streams() { local IFS='|'; echo \"<\$*>\"; }; echo read''y"
            zpty -r shell text '*ready*'
            for line in "${@:4}"; do
                zpty -w shell "streams $line"
                zpty -r shell text '*<*>*'
                print -r -- "${${text##*<}%%>*}"
            done
            zpty -d shell
            """#
        return try await run(["zsh", "-f", "-c", program, "zsh"], shell, [start, setUp] + lines)
    }

    @Test(.needs("zsh"), arguments: ["", "source /usr/share/bash-completion/bash_completion; "])
    func completesTypedLinesInBash(library: String) async throws {
        let typed = [
            ("down\t", "download"), ("ws --prot\t", "ws|--protocol"),
            ("http://a:1/b=c@d --path\t", "http://a:1/b=c@d|--path-as-is"),
            ("--progress al\t", "--progress|always"), ("--progress=al\t", "--progress=always"), ("-d @fa\t", "-d|@fa"),
            ("--json=@fa\t", "--json=@fa"), ("-d@fa\t", "-d@fa"), ("-o su\t", "-o|sub/"),
            ("--output-dir su\t", "--output-dir|sub/"), ("-: --path\t", "-:|--path-as-is"),
            ("-H a:b ws --pin\t", "-H|a:b|ws|--ping"), ("-H 'A: b' ws --pin\t", "-H|A: b|ws|--ping"),
        ]
        let setUp = library + "bind 'set enable-bracketed-paste off'"
        let words = try await Self.type(typed.map(\.0), start: "bash --norc --noprofile -i", setUp: setUp, .bash)
        #expect(words == typed.map(\.1))
    }

    @Test(.needs("zsh")) func completesTypedLinesInZsh() async throws {
        let typed = [
            ("down\t", "download"), ("--pat\t", "--path-as-is"), ("ws --prot\t", "ws|--protocol"),
            ("ws http://a --pin\t", "ws|http://a|--ping"), ("sse --last\t", "sse|--last-event-id"),
            ("lines --last\t", "lines|--last"), ("-o ws --pin\t", "-o|ws|--pin"), ("-sk ws --pin\t", "-sk|ws|--ping"),
            ("tour --ver\t", "tour|--ver"), ("--progress al\t", "--progress|always"),
            ("sse --repeated=dr\t", "sse|--repeated=drop"), ("-o fa\t", "-o|fa"),
            ("--output-dir s\t", "--output-dir|sub"),
            ("-d @fa\t", "-d|@fa"), ("--json=@f\tb", "--json=@fb"), ("-d su\t", "-d|su"), ("-X su\t", "-X|su"),
            ("su\t", "su"),
        ]
        let setUp = "unsetopt zle_bracketed_paste; autoload -U compinit; compinit -u -D"
        #expect(try await Self.type(typed.map(\.0), start: "zsh -f -i", setUp: setUp, .zsh) == typed.map(\.1))
    }

    // MARK: fish

    /// Returns the completions of a line, each with its description after a tab.
    private static func fish(_ line: String) async throws -> [String] {
        try await run(["fish", "--no-config", "-c", "source $argv[1]; complete -C $argv[2]"], .fish, [line]).sorted()
    }

    @Test(
        .needs("fish"),
        arguments: [
            ("w", ["ws\tsend and receive the messages of a WebSocket"]), ("ws ", []),
            ("ws --pro", ["--protocol\toffer a subprotocol", "--proxy\tuse a proxy"]),
            ("sse GET --last", ["--last-event-id\tresume after an event of an earlier run"]), ("lines --last", []),
            ("-o ws --pin", []), ("tour --", []), ("-X ", []), ("-o f", ["fa", "fb"]),
            ("-sk ws --pin", ["--ping\tping a peer that has been silent for S seconds (30)"]),
            ("--json=@fa", ["--json=@fa\tsend a body, as JSON"]), ("--json @fb", ["@fb\tsend a body, as JSON"]),
            ("--json f", []), ("--output-dir ", ["sub/\tDirectory"]),
            (
                "--generate-completion-script=z",
                ["--generate-completion-script=zsh\tprint a script by which a shell completes words"]
            ),
        ] as [(String, [String])])
    func completesInFish(line: String, completions: [String]) async throws {
        #expect(try await Self.fish("streams \(line)") == completions)
    }

    @Test(.needs("fish"), arguments: Command.allCases)
    func completesOptionsOfCommandInFish(command: Command) async throws {
        let words = "streams \(command.word ?? "http://a")"
        let completed = try await Self.fish("\(words) -") + Self.fish("\(words) --")
        let names = Set(completed.map { String($0.prefix { $0 != "\t" }) })
        let options = Option.allCases.filter { $0.commands.contains(command) }
        #expect(names == Set(options.flatMap(\.entry.names)))
    }

    // MARK: Others

    @Test func refusesOtherShells() async throws {
        let run = try await Tool.run("--generate-completion-script", "csh")
        #expect(run.status == 2)
        #expect(run.errors.hasSuffix("is one of bash, zsh, fish, and 'csh' is none. See streams --help.\n"))
    }
}
