import StreamsHTTP
import StreamsTesting

/// A list of numbered pages, of which each has the number of the next one as its text.
struct NumberedPages: Sendable {
    typealias Recorder = RecordingSubscriber<HTTPResponse<Data>.Page, HTTPError>

    static let request = HTTPRequest(.get, "/list?page=1")

    /// Returns the number of the page that a URL names.
    static func number(in url: URL) -> Int {
        url.absoluteString.split(separator: "=").last.flatMap { Int($0) } ?? 0
    }

    /// Returns the request of the page that follows, if there is one.
    static func next(_ request: HTTPRequest, _ page: HTTPResponse<Data>) -> HTTPRequest? {
        let number = String(decoding: page.body, as: UTF8.self)
        return number.isEmpty ? nil : HTTPRequest(.get, "/list?page=\(number)", options: request.options)
    }

    /// Returns a transport that answers with the pages of a list.
    ///
    /// - Parameters:
    ///   - count: The number of pages.
    ///   - answer: Returns another answer, from the number of the page and that of the request.
    static func transport(
        _ count: Int, answer: @escaping @Sendable (Int, Int) -> AnsweringTransport.Answer? = { _, _ in nil }
    ) -> AnsweringTransport {
        AnsweringTransport { request, turn in
            let page = number(in: request.url)
            return answer(page, turn) ?? .reply(.ok, [:], page < count ? "\(page + 1)" : "")
        }
    }
}

extension AnsweringTransport {
    /// The numbers of the pages that have been requested, in order.
    var pages: [Int] { requests.value.map { NumberedPages.number(in: $0.url) } }
}

extension RecordingSubscriber where Failure == HTTPError {
    /// The outline of the failure; `nil` without one.
    var failure: String? {
        if case .failure(let error) = completion { error.reason.outline } else { nil }
    }
}
