extension HTTPBody {
    /// Where a body's bytes are, for what sends them by other means than a ``BodySource``.
    package enum Storage {
        case empty
        case data(Data)
        case file(path: String)
        /// In a stream, or in several places.
        case other
    }

    package var storage: Storage {
        switch content {
        case .empty: .empty
        case .data(let data): .data(data)
        case .file(let path): .file(path: path)
        case .stream, .sequence, .tapped: .other
        }
    }
}
