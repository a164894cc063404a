// A client in the manner of those that Swift OpenAPI Generator writes: operations with inputs and outputs, which are
// converted by closures and sent by the runtime.

import HTTPTypes
@_spi(Generated) import OpenAPIRuntime
import StreamsHTTP

struct Note: Codable, Equatable, Sendable {
    let text: String
}

enum CreateNote {
    enum Output: Sendable {
        case created(Note)
        case undocumented(statusCode: Int, OpenAPIRuntime.HTTPBody?)
    }
}

struct NotesClient: Sendable {
    let client: UniversalClient

    init(serverURL: URL, transport: any ClientTransport) {
        client = UniversalClient(serverURL: serverURL, transport: transport)
    }

    func createNote(_ note: Note) async throws -> CreateNote.Output {
        try await client.send(
            input: note, forOperation: "createNote",
            serializer: { note in
                let body = OpenAPIRuntime.HTTPBody(try JSONEncoder().encode(note))
                var request = HTTPTypes.HTTPRequest(
                    method: .post, scheme: nil, authority: nil, path: "/notes?draft=a%20b")
                request.headerFields[.contentType] = "application/json; charset=utf-8"
                if case .known(let length) = body.length { request.headerFields[.contentLength] = "\(length)" }
                return (request, body)
            },
            deserializer: { response, body in
                guard response.status.code == 201, let body else {
                    return .undocumented(statusCode: response.status.code, body)
                }
                return .created(try await JSONDecoder().decode(Note.self, from: Data(collecting: body, upTo: .max)))
            })
    }

    /// Uploads an attachment.
    ///
    /// - Returns: The status.
    func upload(_ body: OpenAPIRuntime.HTTPBody) async throws -> Int {
        try await client.send(
            input: body, forOperation: "upload",
            serializer: { (HTTPTypes.HTTPRequest(method: .put, scheme: nil, authority: nil, path: "/attachment"), $0) },
            deserializer: { response, _ in response.status.code })
    }

    func download(method: HTTPTypes.HTTPRequest.Method = .get) async throws -> OpenAPIRuntime.HTTPBody? {
        try await client.send(
            input: method, forOperation: "download",
            serializer: { (HTTPTypes.HTTPRequest(method: $0, scheme: nil, authority: nil, path: "/attachment"), nil) },
            deserializer: { _, body in body })
    }
}
