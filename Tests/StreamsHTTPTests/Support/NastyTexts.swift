/// Texts that have a meaning to one format or another.
let nastyTexts: [String] = [
    "plain", "", " ", "a b", "a+b", "a&b=c", "a;b", "\"quoted\"", "it's", "back\\slash", "line\nbreak", "line\rbreak",
    "line\r\nbreak", "\r\n--b\r\n", "tab\t", "100%", "%41", "%22", "größer", "日本語", "🎈", "👩‍👩‍👧", "e\u{301}", "\u{feff}x",
    "#?/:@",
    "[a](b){c}", "~*-._!$',", "<>^`|", "\u{7f}",
]
