extension String {
    /// This text on one line, with control characters escaped as in a Swift literal, for logs and terminals.
    ///
    /// A terminal obeys control characters, and a line break begins another line of a log: a text of the peer could
    /// pretend to be something else.
    package var printable: String {
        guard !utf8.allAre({ 0x20 <= $0 && $0 < 0x7F }), unicodeScalars.contains(where: \.needsEscaping) else {
            return self
        }
        var text = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.needsEscaping: text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

extension Unicode.Scalar {
    /// Whether this is a control character (C0, DEL or C1), a separator of lines or paragraphs, or a control of the
    /// direction of text (Unicode Standard Annex 9), which shows text in another order.
    package var needsEscaping: Bool {
        switch value {
        case 0...0x1F, 0x7F...0x9F, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
