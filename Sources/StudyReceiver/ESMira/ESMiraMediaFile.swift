// SPDX-License-Identifier: Apache-2.0

/// A file that came.
struct ESMiraMediaFile: Sendable {
    let id: Int64
    let user: String
    /// As it stands in the table.
    let name: String
    /// Unix ms.
    let received: Int64
    let type: String
    let bytes: Int64
}
