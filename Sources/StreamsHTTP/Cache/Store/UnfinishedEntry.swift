/// An entry that is being written to a file, which gets the entry's name at the end. Used on the store's queue alone.
final class UnfinishedEntry: Sendable {
    /// A function that writes all bytes to a file, and returns the system's error number or zero.
    typealias WriteBytes = @Sendable (Data, CInt) -> CInt

    private struct State {
        var file: OpenFile?
        /// The bytes that have not been written, fewer than a block.
        var block = Data()
        var blockCount: Int64 = 0
        var fileSize: Int64 = 0
    }

    let format: EntryFormat
    private let folder: CacheFolder
    private let writing: WriteBytes
    /// The state; `nil` after the entry has been discarded.
    private let state = Locked<State?>(State())

    init(for key: CacheKey, in folder: CacheFolder, writing: @escaping WriteBytes) {
        format = EntryFormat(key: key, id: .random(in: 0 ... .max))
        (self.folder, self.writing) = (folder, writing)
    }

    /// The number of bytes that have been written to the file.
    var fileSize: Int64 { state.withLock { $0?.fileSize ?? 0 } }

    /// Appends bytes to the body. The file is created when the first block is full.
    func append(_ data: Data) throws(FileError) {
        try change { state throws(FileError) in
            var rest = data[...]
            while !rest.isEmpty {
                let piece = rest.prefix(EntryFormat.blockSize - state.block.count)
                state.block += piece
                rest = rest.dropFirst(piece.count)
                if state.block.count == EntryFormat.blockSize {
                    endBlock(&state)
                    try flush(&state)
                }
            }
        }
    }

    /// Writes the rest of the body and the record, and gives the file its name.
    func finish(_ record: CacheRecord) throws(FileError) {
        try change { state throws(FileError) in
            let length = state.blockCount * Int64(EntryFormat.blockSize) + Int64(state.block.count)
            guard let footer = format.footer(record, bodyLength: length) else {
                throw FileError(path: nil, code: EFBIG)
            }
            if !state.block.isEmpty { endBlock(&state) }
            state.block += footer
            try flush(&state)
            guard let file = state.file.take() else { return }
            let path = folder.path(of: format.key)
            guard rename(file.path, path) == 0 else {
                let error = FileError(path: path, code: errno)
                state.file = file
                throw error
            }
        }
    }

    /// Removes the file.
    ///
    /// - Returns: The size of the file; zero if there was none, or if it has been removed before.
    func discard() -> Int64 {
        state.withLock { state in
            guard let former = state.take(), let file = former.file, file.isNamed, unlink(file.path) == 0 else {
                return 0
            }
            return former.fileSize
        }
    }

    private func endBlock(_ state: inout State) {
        state.block += state.block.withUnsafeBytes { format.checksum(ofBlock: state.blockCount, $0) }
        state.blockCount += 1
    }

    private func flush(_ state: inout State) throws(FileError) {
        let file: OpenFile
        if let open = state.file { file = open } else { file = try folder.createFile(for: format.key) }
        state.file = file
        let code = writing(state.block, file.descriptor)
        guard code == 0 else { throw FileError(path: file.path, code: code) }
        state.fileSize += Int64(state.block.count)
        state.block.removeAll(keepingCapacity: true)
    }

    private func change(_ body: (inout State) throws(FileError) -> Void) throws(FileError) {
        try state.withLock { state in
            Result { () throws(FileError) in
                guard var current = state.take() else { throw FileError(path: nil, code: ECANCELED) }
                defer { state = current }
                try body(&current)
            }
        }.get()
    }
}
