// SPDX-License-Identifier: Apache-2.0

/// Programs that draw a dataset from its files alone.
enum DatasetCode {
    static let bids: [(name: String, text: String)] = [
        ("figures.R", String(decoding: PackageResources.figures_R, as: UTF8.self)),
        ("figures.ipynb", String(decoding: PackageResources.figures_ipynb, as: UTF8.self)),
    ]
}
