import Foundation
import Testing

@testable import StreamsHTTP

@Suite struct RequestQuotaTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func quota(_ status: HTTPStatus, _ headers: HTTPHeaders) -> RequestQuota? {
        let head = HTTPResponse(status: status, headers: headers, body: (), url: URL(literal: "http://h/"))
        return RequestQuota(head, now: now)
    }

    private func expect(
        _ headers: HTTPHeaders, of status: HTTPStatus = .ok, _ remaining: Int?, _ pause: Duration?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let quota = quota(status, headers)
        #expect(quota?.remaining == remaining && quota?.pause == pause, sourceLocation: sourceLocation)
    }

    @Test func readsRetryAfterOfRefusals() {
        expect(["Retry-After": "7"], of: .tooManyRequests, 0, .seconds(7))
        expect(["Retry-After": "7"], of: .serviceUnavailable, 0, .seconds(7))
        expect([:], of: .tooManyRequests, 0, nil)
        expect([:], of: .serviceUnavailable, nil, nil)
        expect(["Retry-After": "soon"], of: .serviceUnavailable, nil, nil)
        expect(["Retry-After": "7"], of: .ok, nil, nil)
        expect(["Retry-After": "7"], of: .internalServerError, nil, nil)
        #expect(quota(.ok, [:]) == nil)
    }

    @Test func readsRateLimit() {
        expect(["RateLimit": #""default";r=50;t=30"#], 50, nil)
        expect(["RateLimit": #""default";r=0;t=30"#], 0, .seconds(30))
        expect(["RateLimit": #""a;b,c";r=9;t=30, "d\",";r=0 ; t=5"#], 0, .seconds(5))
        expect(["RateLimit": #""a";t=5"#], nil, nil)
        expect(["RateLimit": #""a";r=-1;t=5"#], nil, nil)
        expect(["RateLimit": "r=0"], nil, nil)
        expect(["RateLimit": "\";,=\\"], nil, nil)
    }

    @Test func readsTheWindowOfThePolicy() {
        let policies = #""hour";q=9;w=3600, "day";q=99;w=60"#
        expect(["RateLimit": #""day";r=0"#, "RateLimit-Policy": policies], 0, .seconds(60))
        expect(["RateLimit": #""week";r=0"#, "RateLimit-Policy": policies], 0, nil)
    }

    @Test func readsSeparateFields() {
        expect(["RateLimit-Remaining": "3", "RateLimit-Reset": "10"], 3, nil)
        expect(["RateLimit-Remaining": "0", "RateLimit-Reset": "10"], 0, .seconds(10))
        expect(["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1800000012"], 0, .seconds(12))
        expect(["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1700000000"], 0, .zero)
        expect(["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1.5"], 0, .milliseconds(1500))
        expect(["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1800000012.5"], 0, .milliseconds(12_500))
        expect(["X-RateLimit-Remaining": "0"], 0, nil)
        expect(["X-RateLimit-Remaining": "many"], nil, nil)
        expect(["RateLimit-Remaining": "99999999999999999999"], nil, nil)
    }

    @Test func prefersRetryAfter() {
        expect(["Retry-After": "7", "RateLimit": #""a";r=5;t=1"#], of: .tooManyRequests, 0, .seconds(7))
        expect(["RateLimit": #""a";r=5;t=60"#], of: .tooManyRequests, 0, .seconds(60))
    }
}
