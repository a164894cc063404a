extension Download {
    /// An event of a download. The events come in this order:
    ///
    /// ```
    /// ((startingOver | resuming)? progress* retrying)*
    ///  (startingOver | resuming)? progress*  finished
    /// ```
    ///
    /// or one failure at any point. Progress is conflated: a slow subscriber receives the newest.
    public enum Event: Sendable {
        /// The server continues the file, of which an earlier call or attempt has left this number of bytes.
        case resuming(from: Int64)
        /// The contents that an earlier call or attempt has left are discarded.
        case startingOver(Restart)
        /// More of the file was written. `completed` is the size of the file, with the bytes that were resumed.
        case progress(TransferProgress)
        /// The attempt failed. Another follows after the delay, which begins when this event has been delivered.
        case retrying(HTTPRequest.Retry)
        /// The file is complete and verified, and has its name.
        case finished(File)
    }
}

extension Download {
    /// The reason for which a download discards the contents of a partial file.
    public enum Restart: String, Sendable {
        /// The record of the contents is of another URL or another version, or it does not fit them.
        case unknownContents = "unknown-contents"
        /// The server had no strong validator for the contents.
        case notResumable = "not-resumable"
        /// The server has other contents now.
        case changed
        /// The server sends the whole, although the contents have not changed.
        case rangeIgnored = "range-ignored"
        /// The server sent another range than the requested one, or has none there.
        case rangeMismatch = "range-mismatch"
    }
}

extension Download {
    /// A complete file, the result of a download.
    public struct File: Sendable {
        /// The path of the file.
        public let path: String
        /// The size of the file in bytes.
        public let size: Int64
        /// The number of bytes of content that were received. It is less than ``size`` if an earlier call had left a
        /// part of the file, and may be greater if the download started over.
        public let receivedBytes: Int64
        /// Whether the file was verified, against a checksum of the options or a digest of the server's.
        public let isVerified: Bool
        /// The head of the last response, with its trailers. Its status is 416 if nothing of the file was missing.
        public let response: HTTPResponse<Void>
    }
}
