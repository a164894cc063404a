/// The completions for bash, with and without the package bash-completion.
enum BashCompletion {
    static var script: String {
        """
        # Completions of streams for bash, made by streams --generate-completion-script bash.

        \(words)

        \(arguments)

        # Prints the options that a command has.
        _streams_options() {
            local command=$1
        \(options)
        }

        _streams() {
            local words=() stripped value prefix= option= command=
            _streams_words
            _streams_arguments
            COMPREPLY=()
            case $option in
            '')
                if [[ $value == -* ]]; then
                    mapfile -t COMPREPLY < <(compgen -W "$(_streams_options "${command:-request}")" -- "$value")
                elif [[ ! $command ]]; then
                    mapfile -t COMPREPLY < <(compgen -W '\(Command.words.joined(separator: " "))' -- "$value")
                fi
                ;;
        \(values)
            esac
            COMPREPLY=("${COMPREPLY[@]#"$stripped"}")
        }

        complete -F _streams streams

        """
    }

    private static let words = #"""
        # Sets the words up to the cursor, and the part of the last that readline keeps. Bash also separates words at =, :
        # and, without bash-completion, @, which belong to the words beside them.
        _streams_words() {
            local word raw joins=
            for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
                [[ ! $word && ${COMP_LINE:0:${COMP_POINT:-0}} == *[[:blank:]] ]] && joins=
                if [[ ${#words[@]} -eq 0 ]]; then
                    words=("$word")
                elif [[ $joins || $word =~ ^[:=]+@?$ || $word == @ && ${words[-1]} != -* ]]; then
                    words[-1]+=$word
                else
                    words+=("$word")
                fi
                joins=
                [[ $word =~ ^[:=@]+$ && ${words[-1]} != -: ]] && joins=1
            done
            value=${words[-1]}
            raw=${COMP_WORDS[COMP_CWORD]}
            [[ $raw =~ ^[:=@]+$ ]] && raw=
            # An at sign is a part of the word that is replaced, though it separates words.
            stripped=${value%"$raw"}
            stripped=${stripped%@}
            unset 'words[-1]'
        }
        """#

    /// The function that tells the command, and the option whose value is completed.
    private static var arguments: String {
        #"""
        # Sets the command, and the option that the word at the cursor is a value of.
        _streams_arguments() {
            local word i
            local valued=' \#(Option.namesWithValue.joined(separator: " ")) '
            for word in "${words[@]}"; do
                if [[ $option ]]; then
                    option=
                elif [[ $word == --* ]]; then
                    [[ $valued == *" $word "* ]] && option=$word
                elif [[ $word == -?* ]]; then
                    for ((i = 1; i < ${#word}; i++)); do
                        [[ $valued == *" -${word:i:1} "* ]] || continue
                        ((i + 1 < ${#word})) || option=-${word:i:1}
                        break
                    done
                elif [[ ! $command ]]; then
                    case $word in
                    \#(Command.words.joined(separator: " | "))) command=$word ;;
                    *) command=\#(OptionGroup.requestWord) ;;
                    esac
                fi
            done
            if [[ ! $option && $value == --*=* ]]; then
                option=${value%%=*}
                value=${value#*=}
                prefix=$option=
            elif [[ ! $option && $value == -[!-]?* && $valued == *" ${value:0:2} "* ]]; then
                option=${value:0:2}
                value=${value:2}
                prefix=$option
            fi
        }
        """#
    }

    private static var options: String {
        OptionGroup.all.map { group in
            let names = group.options.flatMap(\.entry.names).joined(separator: " ")
            return "    case $command in \(group.words.joined(separator: " | "))) echo \(names.shellQuoted) ;; esac"
        }.joined(separator: "\n")
    }

    /// The cases for the options with the same values.
    private static var values: String {
        var completed: [CompletedValues] = []
        for option in Option.allCases {
            if let values = option.entry.completedValues, !completed.contains(values) { completed.append(values) }
        }
        return completed.map { values in
            let options = Option.allCases.filter { $0.entry.completedValues == values }
            return "    \(options.flatMap(\.entry.names).joined(separator: " | ")))\n\(action(for: values))\n        ;;"
        }.joined(separator: "\n")
    }

    private static func action(for values: CompletedValues) -> String {
        switch values {
        case .words(let words):
            #"        mapfile -t COMPREPLY < <(compgen -P "$prefix" -W '\#(words.joined(separator: " "))' -- "$value")"#
        case .files: files("-f", prefix: "$prefix", value: "$value")
        case .folders: files("-d", prefix: "$prefix", value: "$value")
        case .contents:
            """
                    if [[ $value == @* ]]; then
            \(files("-f", prefix: "$prefix@", value: "${value#@}"))
                    fi
            """
        }
    }

    private static func files(_ kind: String, prefix: String, value: String) -> String {
        """
                compopt -o filenames 2>/dev/null
                mapfile -t COMPREPLY < <(compgen -P "\(prefix)" \(kind) -- "\(value)")
        """
    }
}
