extension HTTPBody {
    /// The storage of a body's bytes, for transports that send them without a ``HTTPBody.Source``.
    package enum Storage {
        case empty
        case data(Data)
        case file(path: String)
        /// A stream, or several storages.
        case other
    }

    package var storage: Storage {
        switch content {
        case .empty: .empty
        case .data(let data): .data(data)
        case .file(let path): .file(path: path)
        case .stream, .sequence, .encoding, .tapped: .other
        }
    }
}
