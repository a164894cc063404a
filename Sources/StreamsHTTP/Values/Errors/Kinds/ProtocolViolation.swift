/// The way in which a response breaks the rules of HTTP: the detail of ``HTTPError/Transfer/protocolError``.
package enum ProtocolViolation: String, Sendable {
    case version = "the version of HTTP is unsupported"
    case status = "the status is not one of 100 to 599"
    case field = "a field is malformed"
    case length = "the length is invalid"
    case transferCoding = "the last transfer coding is not chunked"
    case chunk = "a chunk is malformed"
    case frame = "a frame is malformed or out of turn"
    case flood = "the server sends frames without end that do no work"
}
