// SPDX-License-Identifier: Apache-2.0

/// Every stand-in: one line each.
enum StandInCatalog {
    static let all: [any StandIn.Type] = [
        SageRoutes.self,
        BridgeRoutes.self,
        MyStudiesRoutes.self,
        ESMiraRoutes.self,
    ]

    static let tables = all.map { $0.tables }.joined(separator: "\n")
}
