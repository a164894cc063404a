import Foundation
import StreamsHTTP
import Testing

@Suite struct ImportTests {
    /// It does not compile where a name of Foundation's is found twice.
    @Test func foundationsNamesStayUnambiguousBesideOurs() {
        var intervals = [TimeInterval]()
        intervals.append(1)
        #expect(intervals == [1])
    }
}
