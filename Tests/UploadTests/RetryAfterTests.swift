// SPDX-License-Identifier: Apache-2.0
import StudyModel
import Testing
import Times

@testable import Upload

/// RFC 9110 §10.2.3: seconds or a date; its own examples are `Fri, 31 Dec 1999 23:59:59 GMT` and `120`.
@Suite struct RetryAfterTests {
    static let now = Instant(seconds: 946_684_740)  // Fri, 31 Dec 1999 23:59:00 GMT

    private func wait(_ status: Int, _ value: String?, date: String? = nil, now: Instant = now) -> Duration? {
        let fields = [("retry-after", value), ("Date", date)].compactMap { name, value in
            value.map { WireRequest.Header(name: name, value: $0) }
        }
        return RetryAfter.wait(HTTPResponse(status: status, headers: fields, body: []), now: now)
    }

    @Test(
        arguments: [
            (503, "120", 120), (429, "120", 120), (429, "0", 0), (503, "99999999999999999999999", 3600),
            (503, "86400", 3600),
            (503, "Fri, 31 Dec 1999 23:59:59 GMT", 59), (429, "Friday, 31-Dec-99 23:59:59 GMT", 59),
            (503, "Fri Dec 31 23:59:59 1999", 59), (503, "Fri, 31 Dec 1999 23:00:00 GMT", 0),
            (503, "Sun, 06 Nov 2044 08:49:37 GMT", 3600),
            (200, "120", nil), (500, "120", nil), (503, nil, nil), (503, "", nil), (503, "-1", nil), (503, "soon", nil),
            (503, "1.5", nil),
        ] as [(Int, String?, Int64?)]) func isReadAsTheStandardSays(status: Int, value: String?, seconds: Int64?)
    {
        #expect(wait(status, value) == seconds.map { .seconds($0) })
    }

    @Test func aDateIsReckonedFromTheServersOwn() {
        let wrong = Self.now + .seconds(-40 * 365 * 86_400)
        #expect(
            wait(503, "Fri, 31 Dec 1999 23:59:59 GMT", date: "Fri, 31 Dec 1999 23:59:29 GMT", now: wrong)
                == .seconds(30))
    }
}
