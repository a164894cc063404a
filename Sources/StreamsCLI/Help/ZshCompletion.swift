/// The completions for zsh, by its `_arguments`.
enum ZshCompletion {
    static var script: String {
        let commands = Command.allCases.compactMap { command in
            command.word.map { "        \("\($0):\(command.summary)".shellQuoted)" }
        }
        return #"""
            #compdef streams
            # Completions of streams for zsh, made by streams --generate-completion-script zsh.

            _streams_contents() {
                compset -P '@' && _files
            }

            _streams_commands() {
                local -a commands=(
            \#(commands.joined(separator: "\n"))
                )
                _describe command commands
            }

            _streams() {
                local word option= command=
                local -i i
                local -a specs
                local -a valued=(\#(Option.namesWithValue.map(\.shellQuoted).joined(separator: " ")))

                # The first word that is neither an option nor a value is the command.
                for word in "${(@)words[2,CURRENT-1]}"; do
                    if [[ -n $option ]]; then
                        option=
                    elif [[ $word == --* ]]; then
                        (( ${valued[(Ie)$word]} )) && option=$word
                    elif [[ $word == -?* ]]; then
                        for (( i = 2; i <= $#word; i++ )); do
                            (( ${valued[(Ie)-$word[i]]} )) || continue
                            (( i < $#word )) || option=$word
                            break
                        done
                    else
                        case $word in
                        (\#(Command.words.joined(separator: "|"))) command=$word ;;
                        (*) command=\#(OptionGroup.requestWord) ;;
                        esac
                        break
                    fi
                done

                [[ -n $command ]] || specs+=('1:command:_streams_commands')
                specs+=('*:URL:()')
            \#(groups)
                _arguments -s -S : $specs
            }

            if [[ $funcstack[1] == _streams ]]; then
                _streams "$@"
            else
                compdef _streams streams
            fi

            """#
    }

    private static var groups: String {
        OptionGroup.all.map { group in
            let specs = group.options.flatMap { specifications(of: $0.entry) }.map { "        \($0.shellQuoted)" }
            let words = group.words.joined(separator: "|")
            return """
                    case ${command:-\(OptionGroup.requestWord)} in (\(words)) specs+=(
                \(specs.joined(separator: "\n"))
                    ) ;; esac
                """
        }.joined(separator: "\n")
    }

    /// Returns the specifications of the names of an option for `_arguments`. All may be repeated.
    private static func specifications(of entry: Option.Entry) -> [String] {
        let takesValue = entry.value != nil && entry.value != "[N]"
        let summary = escaped(entry.summary, "[]")
        let value = takesValue ? ":\(escaped(entry.value ?? "", ":")):\(action(for: entry.completedValues))" : ""
        return entry.names.map { name in
            let end = takesValue ? name.hasPrefix("--") ? "=" : "+" : ""
            return "*\(escaped(name, ":"))\(end)[\(summary)]\(value)"
        }
    }

    private static func action(for values: CompletedValues?) -> String {
        switch values {
        case .words(let words): "(\(words.joined(separator: " ")))"
        case .files: "_files"
        case .folders: "_files -/"
        case .contents: "_streams_contents"
        case nil: " "
        }
    }

    private static func escaped(_ text: String, _ characters: String) -> String {
        String(text.flatMap { characters.contains($0) || $0 == "\\" ? ["\\", $0] : [$0] })
    }
}
