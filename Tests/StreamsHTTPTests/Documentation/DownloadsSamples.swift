import StreamsHTTP
import StreamsLoopback
import Testing

/// The samples of the article "Downloads".
@Suite(.reservesDescriptors) struct DownloadsSamples {
    @Test func samplesRun() async throws {
        let server = try LoopbackServer()
        server.on("GET", "/image.iso", .text("hello"))
        let folder = try ScratchFolder()
        let (client, path) = (server.client(), "\(folder.path)/image.iso")
        let (request, group) = (HTTPRequest(.get, "/image.iso"), ProgressGroup())

        let file = try await client.downloadFile(for: HTTPRequest(.get, "/image.iso"), to: path)
        print("\(file.size) bytes, \(file.receivedBytes) of them now")

        let checksum = FileChecksum("sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824")
        let download = client.download(for: request, to: path, options: DownloadOptions(checksum: checksum))
        for try await event in download.tracking(in: group).values {
            switch event {
            case .resuming(let offset): print("\(offset) bytes are there")
            case .progress(let progress): print(progress.fraction ?? 0)
            case .finished(let file): print(file.path)
            case .startingOver, .retrying: print(event)
            }
        }
        #expect(try folder.text(of: "image.iso") == "hello" && file.size == 5)
        #expect(group.progress.finishedCount == 1 && group.progress.transfer.completed == 5)
    }

    @Test func articleHasTheSamplesThatRun() throws {
        let article = try ArticleSamples(of: "Sources/StreamsHTTP/StreamsHTTP.docc/Downloads.md")
        #expect(article.samples.count == 2)
        try article.expectAll()
    }
}
