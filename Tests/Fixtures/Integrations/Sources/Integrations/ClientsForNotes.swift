import Adapters
import OpenAPIRuntime
import StreamsHTTP

func makeNotesClient(serverURL: URL, token: String) -> NotesClient {
    var configuration = HTTPClient.Configuration(baseURL: serverURL, authorization: .bearer(token))
    configuration.options.retry = RetryPolicy(maxRetries: 2)
    let client = HTTPClient(configuration: configuration)
    return NotesClient(serverURL: serverURL, transport: OpenAPITransport(client))
}

func create(_ note: Note, with notes: NotesClient) async throws -> CreateNote.Output? {
    do {
        return try await notes.createNote(note)
    } catch let error as ClientError where (error.underlyingError as? HTTPError)?.isConnectionFailure == true {
        return nil
    }
}
