/// A word of the command line with options: `--name`, `--name=value`, `-n`, `-nvalue`, or several short ones such as `-sk`, of
/// which the last may have a value.
struct OptionWord {
    /// The names as written, which need not be those of options. Only the last may take a value.
    let names: [String]
    /// The start of the value in the word; `nil` if there is none.
    let valueStart: String.Index?

    init(_ word: String) {
        guard !word.hasPrefix("--") else {
            let end = word.firstIndex(of: "=")
            names = [String(word[..<(end ?? word.endIndex)])]
            valueStart = end.map { word.index(after: $0) }
            return
        }
        var names: [String] = []
        var rest = word.dropFirst()
        while let letter = rest.popFirst() {
            names.append("-\(letter)")
            if Option(name: "-\(letter)")?.takesValue == true { break }
        }
        self.names = names
        valueStart = rest.isEmpty ? nil : rest.startIndex
    }
}

/// The value of an option, or a word that belongs to none, with its place in a command line.
struct ArgumentValue {
    /// The option; `nil` for a word that belongs to none.
    let option: Option?
    /// The index of the word.
    let place: Int
    /// The start of the value in the word.
    let start: String.Index

    /// Returns the values in the words of a command line, which need not be a valid one.
    static func all(in words: [String]) -> [ArgumentValue] {
        var values: [ArgumentValue] = []
        var hasEnded = false
        var place = 0
        while place < words.count {
            let word = words[place]
            if hasEnded || !word.hasPrefix("-") || word == "-" {
                values.append(ArgumentValue(option: nil, place: place, start: word.startIndex))
            } else if word == "--" {
                hasEnded = true
            } else {
                let optionWord = OptionWord(word)
                if let option = optionWord.names.last.flatMap(Option.init(name:)), option.takesValue {
                    if let start = optionWord.valueStart {
                        values.append(ArgumentValue(option: option, place: place, start: start))
                    } else if place + 1 < words.count {
                        place += 1
                        values.append(ArgumentValue(option: option, place: place, start: words[place].startIndex))
                    }
                }
            }
            place += 1
        }
        return values
    }
}
