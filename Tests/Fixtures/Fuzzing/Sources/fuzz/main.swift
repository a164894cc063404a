// Runs one of libFuzzer's targets: FUZZ_TARGET=NAME fuzz [OPTION...] [FOLDER...]. Without a name, prints them all.
import Foundation

let targets: [String: (inout Input) throws -> Void] = [
    "cacherecords": fuzzCacheRecords,
    "caching": fuzzCaching,
    "coding": fuzzCoding,
    "cookies": fuzzCookies,
    "credentials": fuzzCredentials,
    "dates": fuzzDates,
    "fieldblocks": fuzzFieldBlocks,
    "frames": fuzzFrames,
    "framing": fuzzFraming,
    "head": fuzzHead,
    "headers": fuzzHeaders,
    "http2frames": fuzzHTTP2Frames,
    "http2machine": fuzzHTTP2Machine,
    "links": fuzzLinks,
    "multipart": fuzzMultipart,
    "recordings": fuzzRecordings,
    "response": fuzzResponse,
    "server": fuzzServer,
    "url": fuzzURL,
]

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// The chosen target, which the callback cannot capture.
nonisolated(unsafe) private var chosen: ((inout Input) throws -> Void)?

chosen = ProcessInfo.processInfo.environment["FUZZ_TARGET"].flatMap { targets[$0] }
guard chosen != nil else {
    print(targets.keys.sorted().joined(separator: "\n"))
    exit(ProcessInfo.processInfo.environment["FUZZ_TARGET"] == nil ? 0 : 64)
}

private var count = CommandLine.argc
private var arguments = CommandLine.unsafeArgv
exit(
    runDriver(&count, &arguments) { bytes, count in
        var input = Input(UnsafeBufferPointer(start: bytes, count: count))
        do {
            try chosen?(&input)
        } catch {
            expect(false, "unexpected error: \(error)")
        }
        return 0
    })
