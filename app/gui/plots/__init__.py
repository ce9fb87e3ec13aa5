"""The plots: their bar, axes, laws, what is read off them, and the files made of them."""
