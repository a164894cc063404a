/// The completions for fish.
enum FishCompletion {
    static var script: String {
        let commands = Command.allCases.compactMap { command in
            command.word.map { word in
                "complete -c streams -n 'not __streams_command' -a \(word) -d \(quoted(command.summary))"
            }
        }
        return #"""
            # Completions of streams for fish, made by streams --generate-completion-script fish.

            # Prints the command: the first word that is neither an option nor a value. Fails if there is none yet.
            function __streams_command
                set -l valued \#(Option.namesWithValue.map(quoted).joined(separator: " "))
                set -l option
                for word in (commandline -opc)[2..-1]
                    if test -n "$option"
                        set option
                    else if string match -q -- '--*' $word
                        contains -- $word $valued; and set option $word
                    else if string match -q -- '-?*' $word
                        set -l letters (string split '' -- (string sub -s 2 -- $word))
                        for i in (seq (count $letters))
                            contains -- -$letters[$i] $valued; or continue
                            test $i -lt (count $letters); or set option $word
                            break
                        end
                    else if contains -- $word \#(Command.words.joined(separator: " "))
                        echo $word
                        return
                    else
                        echo \#(OptionGroup.requestWord)
                        return
                    end
                end
                return 1
            end

            # Whether the command is one of the arguments.
            function __streams_has
                set -l command (__streams_command); or set command \#(OptionGroup.requestWord)
                contains -- $command $argv
            end

            # Prints the files that the word at the cursor begins to name after an at sign.
            function __streams_contents
                set -l path (string replace -r '^(--[^=]*=|-[^-])?@' '' -- (commandline -ct)); or return
                for file in $path*
                    test -d $file; and echo @$file/; or echo @$file
                end
            end

            complete -c streams -f
            \#(commands.joined(separator: "\n"))
            \#(OptionGroup.all.flatMap(lines).joined(separator: "\n"))

            """#
    }

    private static func lines(of group: OptionGroup) -> [String] {
        let condition = quoted("__streams_has \(group.words.joined(separator: " "))")
        return group.options.map(\.entry).map { entry in
            let names = entry.names.map { name in
                name.hasPrefix("--") ? " -l \(name.dropFirst(2))" : " -s \(quoted(String(name.dropFirst())))"
            }
            return "complete -c streams -n \(condition)\(names.joined())\(value(of: entry)) -d \(quoted(entry.summary))"
        }
    }

    private static func value(of entry: Option.Entry) -> String {
        guard entry.value != nil, entry.value != "[N]" else { return "" }
        return switch entry.completedValues {
        case .words(let words): " -x -a \(quoted(words.joined(separator: " ")))"
        case .files: " -r -F"
        case .folders: " -x -a '(__fish_complete_directories)'"
        case .contents: " -x -a '(__streams_contents)'"
        case nil: " -x"
        }
    }

    private static func quoted(_ text: String) -> String {
        "'\(String(text.flatMap { "'\\".contains($0) ? ["\\", $0] : [$0] }))'"
    }
}
