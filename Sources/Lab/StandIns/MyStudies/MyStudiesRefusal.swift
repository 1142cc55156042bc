// SPDX-License-Identifier: Apache-2.0
import Lab

/// A refusal of the study metadata server or the registration server, with the header fields `status`, `title`
/// and `StatusMessage`; `MyStudiesRoutes` answers it.
struct MyStudiesRefusal: Error, Sendable {
    let status: Int
    /// 101 authentication, 102 input, 103 no data, 104 unknown.
    let code: String
    let title: String
    let message: String

    static let input = Self(status: 400, code: "102", title: "INVALID_INPUT", message: "Invalid input.")
    static let session = Self(status: 401, code: "101", title: "INVALID_AUTH_CODE", message: "Session expired.")
    static let credentials = Self(
        status: 400, code: "102", title: "INVALID_CREDENTIALS", message: "Invalid credentials")
    static let noData = Self(status: 204, code: "103", title: "NO_DATA", message: "No data available")

    static func missing(_ what: String) -> Self {
        Self(status: 400, code: "102", title: "INVALID_INPUT", message: "Invalid input: \(what) is missing")
    }
    static func unknown(_ what: String) -> Self {
        Self(status: 404, code: "102", title: "INVALID_INPUT", message: "Invalid \(what)")
    }

    var response: HTTPResponse {
        var response = HTTPResponse.text(status == 204 ? "" : message + "\n", status: status)
        response.fields["status"] = code
        response.fields["title"] = title
        response.fields["StatusMessage"] = message
        return response
    }
}
