import Streams

/// A URL that has been checked as text, and that Foundation parses when it is first needed: parsing takes longer than
/// all else that is done to create a request.
final class LazyURL: Sendable {
    let text: String
    private let parsed: Locked<URL?>

    init(_ text: String) {
        self.text = text
        parsed = Locked(nil)
    }

    init(_ url: URL) {
        text = url.absoluteString
        parsed = Locked(url)
    }

    var url: URL {
        parsed.withLock { parsed in
            // Foundation accepts every checked text. If it did not, a URL of a name that never resolves would be safe.
            let url = parsed ?? URL(string: text) ?? URL(literal: "http://invalid/")
            parsed = url
            return url
        }
    }
}

extension LazyURL: Equatable {
    static func == (left: LazyURL, right: LazyURL) -> Bool { left.text == right.text }
}
