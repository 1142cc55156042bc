// SPDX-License-Identifier: Apache-2.0
import Study
import Testing

@testable import Agent

/// RFC 9110 §10.2.3, in seconds or as a date, by libcurl in an exchange with python's http.server,
/// which writes the dates itself.
@Suite(.enabled(if: LabServer.isAvailable, "python3 is missing: install it to test HTTP"), .timeLimit(.minutes(20)))
struct RetryAfterTests {
    let server: LabServer
    let client: HTTPClient

    init() throws {
        server = try LabServer()
        client = try HTTPClient(userAgent: "studyd-tests/1")
    }

    private func wait(_ status: Int, _ value: String?) throws -> Duration? {
        let path = "/after/\(status)" + (value.map { "/" + $0.replacing(" ", with: "%20") } ?? "")
        let response = try client.send(HTTPRequest(method: "GET", url: server.url(path)))
        #expect(response.status == status)
        return response.retryAfter
    }

    @Test(
        arguments: [
            (503, "120", 120), (429, "120", 120), (503, "1", 1), (503, "3600", 3600), (503, "3601", 3600),
            (503, "86400", 3600), (503, "99999999999", 3600), (429, "0", nil), (503, "-1", nil),
            (503, "soon", nil), (503, "", nil), (503, nil, nil), (200, "120", nil), (500, "120", nil),
            (502, "120", nil),
            (503, "Fri, 31 Dec 1999 23:59:59 GMT", nil), (503, "Sun, 06 Nov 2044 08:49:37 GMT", 3600),
        ] as [(Int, String?, Int64?)])
    func secondsAreTakenUpToAnHour(status: Int, value: String?, seconds: Int64?) throws {
        #expect(try wait(status, value) == seconds.map { .seconds($0) })
    }

    @Test(arguments: ["imf+90", "rfc850+90", "asctime+90"])
    func aDateIsCountedFromTheClockOfTheDevice(_ date: String) throws {
        // Dates have whole seconds, and the exchange takes some time.
        let wait = try #require(try wait(503, date))
        #expect((.seconds(60) ... .seconds(90)).contains(wait), "\(wait)")
        #expect(try self.wait(503, "imf-90") == nil)
        #expect(try self.wait(503, "imf+7200") == .seconds(3600))
    }

    /// The handle and its connection are kept.
    @Test func whatOneAnswerAskedIsForgottenWithTheNext() throws {
        #expect(try wait(503, "77") == .seconds(77))
        #expect(try wait(503, nil) == nil)
        #expect(try wait(503, "soon") == nil)
    }
}
