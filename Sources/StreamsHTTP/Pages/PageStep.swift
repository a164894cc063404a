/// A request for a page, and the function that returns the step to the next page.
struct PageStep<Body: Sendable>: Sendable {
    /// The request; `nil` if none can be made.
    let request: HTTPRequest?
    /// The plan of the request, or of its failure.
    let plan: RequestPlan
    /// Decodes the response.
    let decode: @Sendable (HTTPResponse<Data>) throws -> Body
    /// Returns the step to the next page; `nil` if the response is that of the last page.
    let next: @Sendable (HTTPResponse<Body>) -> PageStep?
}

extension PageStep {
    /// Returns this step with a failure in place of its exchange.
    func failing(_ reason: HTTPError.Reason, client: HTTPClient) -> PageStep {
        let error = HTTPError(reason, request: plan.summary)
        let plan = RequestPlan(failing: error, client: client, bodyUse: .collect)
        return PageStep(request: request, plan: plan, decode: decode, next: next)
    }

    /// Returns the step to the page of a call.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - client: The client that makes it.
    ///   - next: Returns the call for the next page.
    static func page<Call: Endpoint>(
        of call: Call, client: HTTPClient,
        next: @escaping @Sendable (Call, HTTPResponse<Call.Response>) -> Call?
    ) -> PageStep where Body == Call.Response {
        let request = Result { () throws(HTTPError) in try call.makeRequest(using: client.configuration.coders) }
        return page(of: call, request, client: client) { page in
            next(call, page).map { .page(of: $0, client: client, next: next) }
        }
    }

    /// Returns the step to a page whose response links to the next one.
    ///
    /// - Parameters:
    ///   - call: The call for the first page, whose decoder is that of all pages.
    ///   - client: The client that makes the requests.
    ///   - link: The link from the first page to the page; `nil` for the first page itself.
    static func linkedPage<Call: Endpoint>(
        of call: Call, client: HTTPClient, from link: String? = nil
    ) -> PageStep where Body == Call.Response {
        let request = Result { () throws(HTTPError) in
            let first = try call.makeRequest(using: client.configuration.coders)
            guard let link else { return first }
            return try client.request(following: link, inResponseTo: first)
        }
        return linkedPage(of: call, request, client: client, isLink: link != nil)
    }

    private static func linkedPage<Call: Endpoint>(
        of call: Call, _ request: Result<HTTPRequest, HTTPError>, client: HTTPClient, isLink: Bool
    ) -> PageStep where Body == Call.Response {
        page(of: call, request, client: client, isLink: isLink) { page in
            guard let link = page.link("next") else { return nil }
            let next = request.flatMap { request in
                Result { () throws(HTTPError) in
                    try client.request(following: link, inResponseTo: request, from: page.url)
                }
            }
            return linkedPage(of: call, next, client: client, isLink: true)
        }
    }

    private static func page<Call: Endpoint>(
        of call: Call, _ request: Result<HTTPRequest, HTTPError>, client: HTTPClient, isLink: Bool = false,
        next: @escaping @Sendable (HTTPResponse<Body>) -> PageStep?
    ) -> PageStep where Body == Call.Response {
        let decode: @Sendable (HTTPResponse<Data>) throws -> Body = { try client.configuration.decode($0, from: call) }
        switch request {
        case .success(let request):
            let plan = RequestPlan(request, client: client, bodyUse: .collect, isLink: isLink)
            return PageStep(request: request, plan: plan, decode: decode, next: next)
        case .failure(let error):
            let plan = RequestPlan(failing: error, client: client, bodyUse: .collect)
            return PageStep(request: nil, plan: plan, decode: decode, next: next)
        }
    }
}
