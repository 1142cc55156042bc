// SPDX-License-Identifier: Apache-2.0
import Times
import WebServer

/// The page for people, at `/`.
struct PageRoutes: Sendable {
    let archive: Archive
    let faults: Faults
    let clock: any StudyClock
    let studies: [String]

    func routes(_ router: inout Router) {
        router.on("GET", "/") { _ in .text("soon") }
    }
}
