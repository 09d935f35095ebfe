"""The statistics find what was planted, and no more."""
import unittest
import warnings

import numpy as np

from hlg_lab import statistics


class Bootstrap(unittest.TestCase):
    def setUp(self):
        self.values = np.random.default_rng(7)

    def test_the_error_is_that_of_the_clusters(self):
        """Four equal values a cluster say no more than one."""
        n, spread = 400, 2.0
        values = np.repeat(self.values.normal(5, spread, n), 4)
        mean, repeats = statistics.group_means(values, np.repeat(np.arange(n), 4), 0, 1)
        self.assertAlmostEqual(mean[0], values.mean(), places=12)
        error = statistics.standard_error(repeats)[0]
        self.assertAlmostEqual(error / (values.std() / np.sqrt(n)), 1, delta=0.06)
        low, high = statistics.interval(repeats[:, 0])
        self.assertAlmostEqual(high - low, 2 * 1.96 * error, delta=0.05 * error * 4)

    def test_paired_groups_keep_their_pairing(self):
        """What a cluster adds to both groups is not in the error of their difference."""
        n = 200
        base, noise = self.values.normal(0, 10, n), self.values.normal(0, 1, (2, n))
        values = np.concatenate([base + noise[0], base + noise[1] + 3])
        clusters, groups = np.tile(np.arange(n), 2), np.repeat([0, 1], n)
        mean, repeats = statistics.group_means(values, clusters, groups, 2)
        self.assertAlmostEqual(mean[1] - mean[0], 3, delta=0.4)
        error = statistics.standard_error(repeats[:, 1:] - repeats[:, :1])[0]
        self.assertAlmostEqual(error, np.sqrt(2 / n), delta=0.02)

    def test_a_group_that_is_not_always_there(self):
        mean, repeats = statistics.group_means(np.array([1.0, 2.0, 9.0]), [0, 1, 1], [0, 0, 2], 3)
        np.testing.assert_array_equal(mean, [1.5, np.nan, 9])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            errors = statistics.standard_error(repeats)
        self.assertTrue(np.isnan(errors[1]))
        self.assertEqual(errors[2], 0)

    def test_equal_values_are_not_certain(self):
        """None of 20, all of 20, all of 20 less: Laplace's error. Half of 20: the bootstrap's."""
        values = np.concatenate([np.zeros(20), np.ones(20), -np.ones(20), np.arange(20) % 2,
                                 np.full(20, 2.5)])
        groups, clusters = np.repeat(np.arange(5), 20), np.tile(np.arange(20), 5)
        means, repeats = statistics.group_means(values, clusters, groups, 5)
        errors = statistics.group_errors(values, groups, means, repeats)
        laplace = np.sqrt(1 / 22 * 21 / 22 / 20)
        np.testing.assert_allclose(errors[:3], laplace, rtol=1e-12)
        self.assertEqual(errors[3], statistics.standard_error(repeats)[3])
        self.assertAlmostEqual(errors[3], np.sqrt(0.25 / 20), delta=0.005)
        self.assertEqual(errors[4], 0, "not a share: nothing is known of how it varies")


class Slopes(unittest.TestCase):
    def test_a_planted_slope_and_its_error(self):
        values, n = np.random.default_rng(3), 600
        x, groups = values.uniform(0, 4, n), np.repeat([0, 1], n // 2)
        y = np.where(groups == 0, 2 * x, 5 - x) + values.normal(0, 1, n)
        found, repeats = statistics.slopes(x, y, np.arange(n), groups, 3)
        for group in (0, 1):
            self.assertAlmostEqual(found[group], np.polyfit(x[groups == group],
                                                            y[groups == group], 1)[0], places=9)
        errors = statistics.standard_error(repeats)
        expected = 1 / (x[:n // 2].std() * np.sqrt(n / 2))
        self.assertAlmostEqual(errors[0] / expected, 1, delta=0.12)
        self.assertTrue(np.isnan(found[2]) and np.isnan(errors[2]), "a group without points")

    def test_no_slope_where_x_is_one_value(self):
        found, _ = statistics.slopes(np.full(9, 2.5), np.arange(9.0), np.arange(9), 0, 1)
        self.assertTrue(np.isnan(found[0]))


class Explained(unittest.TestCase):
    def setUp(self):
        values = np.random.default_rng(3)
        n = 2000
        self.clusters = np.repeat(np.arange(n // 10), 10)
        self.z = -values.uniform(0, 20, n)
        self.other = self.z + values.normal(0, 6, n)
        self.noise = values.normal(size=n)
        self.harm = (values.uniform(size=n) < 0.9 * (self.z / 20) ** 2).astype(float)
        self.best = 1 - np.mean((self.harm - 0.9 * (self.z / 20) ** 2) ** 2) / self.harm.var()

    def share(self, coordinate):
        return statistics.explained(coordinate, self.harm, self.clusters)

    def test_the_coordinate_that_made_the_harm(self):
        share, repeats = self.share(self.z)
        self.assertAlmostEqual(share, self.best, delta=0.02)
        low, high = statistics.interval(repeats)
        self.assertTrue(low < share < high, (low, share, high))

    def test_a_blurred_coordinate_is_worse(self):
        share, repeats = self.share(self.z)
        blurred, others = self.share(self.other)
        self.assertLess(blurred, share)
        self.assertLess(statistics.interval(others - repeats)[1], 0)

    def test_noise_predicts_nothing(self):
        share, _ = self.share(self.noise)
        self.assertTrue(-0.02 < share < 0.005, share)

    def test_harm_that_falls_is_not_predicted(self):
        self.assertLess(self.share(-self.z)[0], 0.005)

    def test_one_prompt_is_not_enough(self):
        share, repeats = statistics.explained(self.z[:10], self.harm[:10], np.zeros(10))
        self.assertTrue(np.isnan(share))
        self.assertEqual(statistics.interval(repeats), (None, None))

    def test_equal_coordinates_count_as_their_mean(self):
        """Whatever the order of the texts: half of those at 0 are harmed, then all at -1."""
        z, harm = np.array([0.0, 0, 0, 0, -1, -1]), np.array([0.0, 0, 1, 1, 1, 1])
        for order in (np.arange(6), np.arange(6)[::-1], np.array([2, 0, 4, 1, 3, 5])):
            found = statistics.predicted(z[order], harm[order], np.array([0.0, -0.5, -1]))
            np.testing.assert_allclose(found, [0.5, 0.75, 1])
        z, harm = np.array([0.0, 0, 0, 0, -1]), np.array([0.0, 0, 1, 1, 0])
        np.testing.assert_allclose(statistics.predicted(z, harm, z), 0.4)


if __name__ == "__main__":
    unittest.main()
