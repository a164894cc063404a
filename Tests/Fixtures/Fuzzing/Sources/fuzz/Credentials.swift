import Foundation
import StreamsHTTP

/// A credential file is read or refused with an error. What is read is the same after it has been written, and a change
/// changes nothing else.
func fuzzCredentials(_ input: inout Input) throws {
    let (key, value) = (input.text(), input.text())
    let bytes = input.remainder()
    let path = "\(scratch)/credentials"
    write(bytes, to: path)
    let store = FileCredentialStore(path: path)
    // A key that no file of this length has.
    let unused = String(repeating: "k", count: bytes.count + 1)
    do {
        _ = try store.credential(for: unused)
    } catch {
        expect(error is DecodingError, "another error: \(error)")
        expect((try? store.update([key: value])) == nil, "a damaged file was replaced")
        // Not by FileManager: its buffer for a small file stays allocated.
        let contents = try FileHandle(forReadingAtPath: path)?.readToEnd()
        expectEqual(contents ?? Data(), Data(bytes), "a damaged file was changed")
        return
    }
    let all = try JSONDecoder().decode([String: String].self, from: Data(bytes))
    for (known, credential) in all {
        expectEqual(try store.credential(for: known), credential, "the credential of \(known.debugDescription)")
    }
    try store.update([key: value])
    for (known, credential) in all.merging([key: value], uniquingKeysWith: { $1 }) {
        expectEqual(try FileCredentialStore(path: path).credential(for: known), credential, known.debugDescription)
    }
    try store.update([key: nil])
    expectEqual(try store.credential(for: key), nil, "a credential was not removed")
    expectEqual(try FileManager.default.contentsOfDirectory(atPath: scratch), ["credentials"], "files were left")
}
