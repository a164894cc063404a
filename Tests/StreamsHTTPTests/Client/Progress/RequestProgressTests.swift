import StreamsHTTP
import Testing

@Suite struct RequestProgressTests {
    private func transfer(_ completed: Int64, of total: Int64?) -> TransferProgress {
        TransferProgress(completed: completed, total: total)
    }

    @Test func hasNoTotalBeforeTheDownload() {
        let progress = HTTPRequest.Progress(.upload, upload: transfer(50, of: 100), download: nil)
        #expect(progress.transfer == transfer(50, of: nil) && progress.fraction == nil)
    }

    @Test func addsBothDirections() {
        let progress = HTTPRequest.Progress(.download, upload: transfer(100, of: 100), download: transfer(50, of: 100))
        #expect(progress.transfer == transfer(150, of: 200) && progress.fraction == 0.75)
    }

    @Test func countsAnUploadThatTheServerDidNotReadAsComplete() {
        let progress = HTTPRequest.Progress(.download, upload: transfer(50, of: 100), download: transfer(50, of: 50))
        #expect(progress.transfer == transfer(100, of: 100) && progress.fraction == 1)
    }

    @Test func countsADownloadAlone() {
        #expect(HTTPRequest.Progress(.download, upload: nil, download: transfer(1, of: 4)).fraction == 0.25)
        #expect(HTTPRequest.Progress(.download, upload: nil, download: transfer(1, of: nil)).fraction == nil)
    }

    @Test func staysWithinItsRange() {
        let progress = HTTPRequest.Progress(.download, upload: transfer(2, of: 2), download: transfer(.max, of: .max))
        #expect(progress.transfer == transfer(.max, of: .max))
    }
}
