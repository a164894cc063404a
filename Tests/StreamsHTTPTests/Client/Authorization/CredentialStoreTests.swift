import StreamsHTTP
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

@Suite struct CredentialStoreTests {
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
    }

    @Test func memory() {
        let store = InMemoryCredentialStore(["a": "1"])
        store.update(["a": nil, "b": "2"])
        #expect(store.credential(for: "a") == nil)
        #expect(store.credential(for: "b") == "2")
    }

    /// A store that implements what is required alone.
    private struct Minimal: CredentialStore {
        let base = InMemoryCredentialStore()

        func credential(for key: String) -> String? { base.credential(for: key) }
        func update(_ changes: [String: String?]) { base.update(changes) }
    }

    @Test func removesOnlyTheGivenCredential() throws {
        let stores: [any CredentialStore] = [
            InMemoryCredentialStore(), FileCredentialStore(path: "\(folder.path)/credentials"), Minimal(),
        ]
        for store in stores {
            try store.remove("1", for: "a")
            try store.update(["a": "2", "b": "1"])
            try store.remove("1", for: "a")
            #expect(try store.credential(for: "a") == "2")
            try store.remove("2", for: "a")
            #expect(try store.credential(for: "a") == nil)
            #expect(try store.credential(for: "b") == "1")
        }
    }

    @Test func aFileKeepsWhatAnotherStoreReads() throws {
        let store = FileCredentialStore(path: "\(folder.path)/credentials")
        #expect(try store.credential(for: "a") == nil)
        try store.update(["a": "1", "b": "\u{e9}\"\n"])
        try store.update(["a": nil])
        let other = FileCredentialStore(path: "\(folder.path)/credentials")
        #expect(try other.credential(for: "a") == nil)
        #expect(try other.credential(for: "b") == "\u{e9}\"\n")
        #expect(try folder.names == ["credentials"])
    }

    @Test func aPathWithANULIsRefused() throws {
        let store = FileCredentialStore(path: "\(folder.path)/credentials\0b")
        #expect(throws: FileError.self) { try store.credential(for: "a") }
        #expect(throws: FileError.self) { try store.update(["a": "1"]) }
        #expect(try folder.names == [])
    }

    @Test func theFileIsItsOwnersAlone() throws {
        let path = "\(folder.path)/credentials"
        try FileCredentialStore(path: path).update(["a": "1"])
        #expect(mode(of: path) == 0o600)
    }

    @Test(arguments: [0o640, 0o604, 0o620, 0o602, 0o610] as [mode_t])
    func aFileThatIsOpenToOthersIsRefused(mode: mode_t) throws {
        let path = "\(folder.path)/credentials"
        let store = FileCredentialStore(path: path)
        try store.update(["a": "1"])
        chmod(path, mode)
        #expect(throws: FileCredentialStore.Refusal.self) { try store.credential(for: "a") }
        #expect(throws: FileCredentialStore.Refusal.self) { try store.update(["a": "2"]) }
        chmod(path, 0o600)
        #expect(try store.credential(for: "a") == "1")
    }

    @Test func whatIsNoFileIsRefused() throws {
        let path = "\(folder.path)/credentials"
        mkfifo(path, 0o600)
        #expect(throws: FileCredentialStore.Refusal.self) {
            try FileCredentialStore(path: path).credential(for: "a")
        }
    }

    @Test func aFailedUpdateLeavesTheFileAsItWas() throws {
        let path = "\(folder.path)/credentials"
        let store = FileCredentialStore(path: path)
        #expect(throws: FileError.self) { try FileCredentialStore(path: "\(folder.path)/none/x").update(["a": "1"]) }
        let file = fopen(path, "w")
        fputs("[1]", file)
        fclose(file)
        chmod(path, 0o600)
        #expect(throws: (any Error).self) { try store.update(["a": "1"]) }
        #expect(try folder.names == ["credentials"])
    }

    @Test func concurrentUpdatesAllHold() async throws {
        let store = FileCredentialStore(path: "\(folder.path)/credentials")
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask { try? store.update(["key\(number)": "\(number)"]) }
            }
        }
        let kept = try (0..<20).map { try store.credential(for: "key\($0)") }
        #expect(kept == (0..<20).map { "\($0)" })
    }

    private func mode(of path: String) -> mode_t {
        var status = stat()
        stat(path, &status)
        return status.st_mode & 0o777
    }
}
